// A question to a model as JSON: a line of `skim run`, a request to the server.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/json.h"
#include "skim/query.h"

namespace skim {

// What is wrong with a JSON object, and with which of its fields (empty: with the object).
struct FieldFault {
  std::string field;
  std::string message;
};
template <class T>
using FieldResult = tl::expected<T, FieldFault>;

inline tl::unexpected<FieldFault> field_fault(std::string field, const std::string& message) {
  const std::string name = field;
  return tl::make_unexpected(
      FieldFault{std::move(field), name + (name.empty() ? "" : " ") + message});
}

// The fields "text" (a string), "question" (a string, may be missing) and "choices" (a list of
// strings, may be missing). Moves the strings out of `object`; other fields are not looked at.
FieldResult<Query> take_query(Json& object);

// A string moved out of its place. `field` is what messages call it.
FieldResult<std::string> take_string(Json& value, const std::string& field);

}  // namespace skim

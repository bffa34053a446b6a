// Parses queries in JSON: input lines of `skim run` and request bodies of the server.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/json.h"
#include "skim/query.h"

namespace skim {

// An error in a JSON object. `field` is empty when the object itself is invalid.
struct FieldError {
  std::string field;
  std::string message;
};
template <class T>
using FieldResult = tl::expected<T, FieldError>;

inline tl::unexpected<FieldError> field_error(std::string field, const std::string& message) {
  const std::string name = field;
  return tl::make_unexpected(
      FieldError{std::move(field), name + (name.empty() ? "" : " ") + message});
}

// Parses the fields "text" (a string), "question" (a string, optional) and "choices" (a list of
// strings, optional). Moves the strings out of `object`; ignores other fields.
FieldResult<Query> parse_query(Json& object);

// Moves a string out of `value`. `field` is its name in error messages.
FieldResult<std::string> parse_string(Json& value, const std::string& field);

}  // namespace skim

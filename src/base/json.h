// JSON: the one place that includes the library behind it. Nothing here throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim {

// Keeps the order of the fields, so that writing the same thing twice gives the same bytes.
using Json = nlohmann::ordered_json;

inline constexpr int kJsonDepth = 64;

// One whole document. Rejects what is easy to get wrong or used to attack: fields given twice,
// nesting beyond kJsonDepth, invalid UTF-8, zero bytes, anything after the document. `name` stands
// for the source in the message, which gives the byte position (from 0).
Result<Json> parse_json(std::string_view text, std::string_view name);

// On one line, or indented by `indent`. Invalid UTF-8 becomes U+FFFD, so it cannot fail; numbers
// that are not finite become null.
std::string to_text(const Json& json, int indent = -1);

// Checked access to the fields of an object. `where` is the path of the object ("imdb.skim:
// spec.reader"): messages say "<where>.<key> is missing", "... must be a string", and so on. All
// faults are Fault::format.
Result<const Json*> field_at(const Json& object, std::string_view key, std::string_view where);
Result<const Json*> object_at(const Json& object, std::string_view key, std::string_view where);
Result<const Json*> array_at(const Json& object, std::string_view key, std::string_view where);
Result<std::string> string_at(const Json& object, std::string_view key, std::string_view where);
Result<bool> bool_at(const Json& object, std::string_view key, std::string_view where);
Result<double> number_at(const Json& object, std::string_view key, std::string_view where);
Result<std::uint64_t> unsigned_at(const Json& object, std::string_view key, std::string_view where);

// Both ends belong to the range.
struct IntRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Result<std::int64_t> int_at(const Json& object, std::string_view key, IntRange range,
                            std::string_view where);

// The same for a value by itself; `where` is its own path.
Result<std::string> as_string(const Json& value, std::string_view where);
Result<double> as_number(const Json& value, std::string_view where);
Result<std::int64_t> as_int(const Json& value, IntRange range, std::string_view where);

}  // namespace skim

// JSON parsing, writing and checked field access. Nothing here throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_memory.h"
#include "base/result_macros.h"
#include "skim/result.h"

namespace skim {

// Keeps the order of the fields, so that equal documents are written as equal bytes.
using Json = nlohmann::ordered_json;

inline constexpr int kMaxJsonDepth = 64;

// Parses one document. Rejects duplicate fields, nesting beyond kMaxJsonDepth, invalid UTF-8, zero
// bytes and anything after the document. Error messages call the source `name` and give the byte
// position (from 0).
Result<Json> parse_json(std::string_view text, std::string_view name);

// Parses like parse_json and keeps its buffers for the next document, unless one is longer than 64
// KiB. For many short documents: the allocation of the buffers takes as long as parsing one. Not
// thread-safe.
class JsonParser {
 public:
  JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;
  ~JsonParser();

  Result<Json> parse(std::string_view text, std::string_view name);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// Serializes on one line, or indented by `indent`. Never fails: invalid UTF-8 becomes U+FFFD,
// numbers that are not finite become null.
std::string to_text(const Json& json, int indent = -1);

// The path of a field of an object, for messages.
std::string field_path(std::string_view where, std::string_view key);

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

// Inclusive.
struct IntRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Result<std::int64_t> int_at(const Json& object, std::string_view key, IntRange range,
                            std::string_view where);

// The same for a single value; `where` is its path.
Result<std::string> as_string(const Json& value, std::string_view where);
Result<double> as_number(const Json& value, std::string_view where);
Result<std::int64_t> as_int(const Json& value, IntRange range, std::string_view where);

// The list object[key], each element parsed by `parse(element, path)`, which returns a Result<T>.
template <class T, class Parse>
Result<std::vector<T>> list_at(const Json& object, std::string_view key, std::string_view where,
                               Parse parse) {
  SKIM_ASSIGN_OR_RETURN(const Json* const list, array_at(object, key, where));
  const std::string path = field_path(where, key);
  std::vector<T> values;
  for (const Json& element : *list) {
    SKIM_ASSIGN_OR_RETURN(T value,
                          parse(element, path + "[" + std::to_string(values.size()) + "]"));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace skim

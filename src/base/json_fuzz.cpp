// Parses arbitrary bytes as JSON and compares with nlohmann::json: parse_json must accept what that
// parser accepts and the additional rules of parse_json allow, and give the same document. A
// document must also survive being written and parsed again.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_text.h"
#include "tests/support/fuzz_json.h"

namespace {

using skim::Json;
using skim::fuzz::require;

// The document by nlohmann::json, if it has at most kMaxJsonDepth levels and no duplicate fields.
std::optional<Json> parse_reference(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  bool valid = true;
  std::vector<std::set<std::string>> names;  // per open container
  const auto check = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) names.emplace_back();
    if (event == Event::object_end || event == Event::array_end) names.pop_back();
    if (event == Event::key) valid &= names.back().insert(parsed.get<std::string>()).second;
    valid &= names.size() <= skim::kMaxJsonDepth;
    return true;
  };
  Json document = Json::parse(text, check, false);
  if (document.is_discarded() || !valid) return std::nullopt;
  return document;
}

// Equal values of the same types; "-0" may be signed or unsigned.
bool is_same(const Json& a, const Json& b) {
  if (a.is_structured()) {
    return a.type() == b.type() && a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), is_same);
  }
  return a == b && (a.type() == b.type() || a == 0);
}

void check_error(std::string_view text, const std::string& message) {
  require(message.starts_with("fuzz: not valid JSON at byte ") && message.size() < 400,
          "an error gives source and position and is short");
  const std::size_t position = std::strtoull(message.c_str() + 29, nullptr, 10);
  require(position <= text.size(), "the position of an error is inside the document");
  require(skim::parse_json(text, "fuzz").error().message == message,
          "a parser that is used again gives the same error");
}

void check_written_string(std::string_view bytes) {
  std::string appended;
  skim::append_json(appended, bytes);
  require(appended == skim::to_text(Json(std::string(bytes))),
          "append_json and to_text write the same string");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One parser for all inputs: no document may depend on the one before.
  static skim::JsonParser parser;
  const std::string_view text = skim::fuzz::as_text(data, size);
  check_written_string(text.substr(0, 64));
  const auto parsed = parser.parse(text, "fuzz");
  const auto reference = parse_reference(text);
  require(parsed.has_value() == reference.has_value(), "both parsers accept the same documents");
  if (!parsed) {
    check_error(text, parsed.error().message);
    return 0;
  }
  require(is_same(*parsed, *reference), "both parsers give the same document");
  const std::string written = skim::to_text(*parsed);
  require(written == skim::to_text(*reference), "both documents are written alike");
  const auto again = parser.parse(written, "again");
  require(again && *again == *parsed, "a written document parses to itself");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  return skim::fuzz::mutate_json_text(data, size, max, random);
}

// Parses arbitrary bytes as JSON and compares with nlohmann::json: parse_json must accept what that
// parser accepts and the additional rules of parse_json allow, and give the same document. A
// document must also survive being written and parsed again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

#include "base/json.h"

namespace {

using skim::Json;

void require(bool condition) {
  if (!condition) std::abort();
}

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One parser for all inputs: no document may depend on the one before.
  static skim::JsonParser parser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parser.parse(text, "fuzz");
  const auto reference = parse_reference(text);
  require(parsed.has_value() == reference.has_value());
  if (!parsed) {
    const std::string& message = parsed.error().message;
    require(message.starts_with("fuzz: not valid JSON at byte ") && message.size() < 400);
    require(skim::parse_json(text, "fuzz").error().message == message);
    return 0;
  }
  require(is_same(*parsed, *reference));
  const std::string written = skim::to_text(*parsed);
  require(written == skim::to_text(*reference));
  const auto again = skim::parse_json(written, "again");
  require(again && *again == *parsed);
  return 0;
}

// JSON parsing in two steps (docs/decisions/014-json.md). simdjson reads almost every document.
// What it rejects goes to the parser of nlohmann::json, which accepts the few documents that only
// simdjson rejects, such as integers beyond 64 bits, and gives the error and its position.
#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/json.h"

namespace skim {
namespace {

namespace dom = simdjson::dom;
using JsonFields = Json::object_t::Container;

// A parser needs up to 15 bytes of buffers per byte of the document.
constexpr std::size_t kMaxRetainedDocumentBytes = std::size_t{64} << 10U;

// Up to this many fields are compared pairwise, more are sorted: pairwise comparison of a million
// fields would take hours.
constexpr std::size_t kMaxPairwiseFields = 16;

// Returns the first name that occurs again, or null.
const std::string* find_duplicate(const JsonFields& fields) {
  if (fields.size() <= kMaxPairwiseFields) {
    for (auto field = fields.begin(); field != fields.end(); ++field) {
      const auto same = [&](const auto& other) { return other.first == field->first; };
      if (std::any_of(fields.begin(), field, same)) return &field->first;
    }
    return nullptr;
  }
  std::vector<const std::string*> names;
  names.reserve(fields.size());
  for (const auto& field : fields) names.push_back(&field.first);
  std::sort(names.begin(), names.end(), [](auto* a, auto* b) { return *a < *b; });
  const auto found =
      std::adjacent_find(names.begin(), names.end(), [](auto* a, auto* b) { return *a == *b; });
  return found == names.end() ? nullptr : *found;
}

// Converts what simdjson has parsed. False when the document breaks a rule that simdjson does not
// check: nesting depth and duplicate fields.
bool convert(dom::element from, int depth, Json& into);

bool convert_array(dom::array from, int depth, Json& into) {
  if (depth > kMaxJsonDepth) return false;
  into = Json::array();
  auto& list = into.get_ref<Json::array_t&>();
  list.reserve(from.size());
  for (const dom::element element : from) {
    if (!convert(element, depth, list.emplace_back())) return false;
  }
  return true;
}

bool convert_object(dom::object from, int depth, Json& into) {
  if (depth > kMaxJsonDepth) return false;
  into = Json::object();
  // Appends without a look-up of the key.
  JsonFields& fields = into.get_ref<Json::object_t&>();
  fields.reserve(from.size());
  for (const auto [key, value] : from) {
    Json& field = fields.emplace_back(std::string(key), Json()).second;
    if (!convert(value, depth, field)) return false;
  }
  return find_duplicate(fields) == nullptr;
}

bool convert(dom::element from, int depth, Json& into) {
  switch (from.type()) {
    case dom::element_type::OBJECT:
      return convert_object(from.get_object().value_unsafe(), depth + 1, into);
    case dom::element_type::ARRAY:
      return convert_array(from.get_array().value_unsafe(), depth + 1, into);
    case dom::element_type::STRING:
      into = from.get_string().value_unsafe();
      break;
    case dom::element_type::INT64: {
      // nlohmann::json stores integers from 0 as unsigned.
      const std::int64_t value = from.get_int64().value_unsafe();
      if (value < 0)
        into = value;
      else
        into = static_cast<std::uint64_t>(value);
      break;
    }
    case dom::element_type::UINT64:
      into = from.get_uint64().value_unsafe();
      break;
    case dom::element_type::DOUBLE:
      into = from.get_double().value_unsafe();
      break;
    case dom::element_type::BOOL:
      into = from.get_bool().value_unsafe();
      break;
    case dom::element_type::NULL_VALUE:
      into = nullptr;
      break;
  }
  return true;
}

// Parses with simdjson; false when the document is not valid or not one for simdjson.
bool parse_fast(dom::parser& parser, std::string_view text, Json& into) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  dom::element root;
  // Copies the text into a buffer of the parser, because simdjson reads beyond the end.
  const auto error = parser.parse(text.data(), text.size(), true).get(root);
  // It keeps those buffers for which there was memory and takes them for all it needs.
  if (error == simdjson::MEMALLOC) parser = dom::parser();
  return error == simdjson::SUCCESS && convert(root, 0, into);
}

// Iterates over a text and publishes its position.
struct TrackedIterator {
  using iterator_category = std::input_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** position = nullptr;

  reference operator*() const { return *at; }
  TrackedIterator& operator++() {
    *position = ++at;
    return *this;
  }
  bool operator==(const TrackedIterator& other) const { return at == other.at; }
};

// Parses with nlohmann::json and keeps the first error. The public members without comments are
// the events of nlohmann::json_sax; an event that returns false ends parsing.
class PositionedParser {
 public:
  explicit PositionedParser(std::string_view text) : text_(text), read_(text.data()) {}

  bool parse() {
    // nlohmann::json takes a zero byte for the end.
    if (const auto zero = text_.find('\0'); zero != std::string_view::npos)
      return reject(zero, "a zero byte");
    return Json::sax_parse(TrackedIterator{text_.data(), &read_},
                           TrackedIterator{text_.data() + text_.size(), &read_}, this);
  }
  Json& root() { return root_; }
  std::size_t error_position() const { return error_position_; }
  const std::string& reason() const { return reason_; }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*digits*/) {
    return add(value);
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // not in JSON
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    const std::string* duplicate = find_duplicate(open_.back()->get_ref<Json::object_t&>());
    open_.pop_back();
    return duplicate == nullptr ||
           reject(bytes_read(), "field '" + duplicate->substr(0, 80) + "' is duplicated");
  }
  bool parse_error(std::size_t bytes, const std::string& /*token*/, const Json::exception& error) {
    return reject(bytes > 0 ? bytes - 1 : 0, shorten(error.what()));
  }

 private:
  bool reject(std::size_t position, std::string reason) {
    error_position_ = position;
    reason_ = std::move(reason);
    return false;
  }
  std::size_t bytes_read() const { return static_cast<std::size_t>(read_ - text_.data()); }

  // Extracts "unexpected ']'; expected ..." from "[json.exception.parse_error.101] parse error at
  // line 1, column 2: syntax error while parsing value - unexpected ']'; expected ...; last read:
  // '[]'". What was read last may be as long as the document.
  static std::string shorten(std::string_view message) {
    for (const std::string_view end : {"; last read: ", " parsing '"})
      message = message.substr(0, message.find(end));
    for (const std::string_view begin : {"] ", " - "}) {
      if (const auto found = message.find(begin); found != std::string_view::npos)
        message.remove_prefix(found + begin.size());
    }
    return std::string(message);
  }

  // Appends a value to the innermost open container.
  Json& append(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_array())
      return open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
    JsonFields& fields = open_.back()->get_ref<Json::object_t&>();
    return fields.emplace_back(std::move(key_), std::move(value)).second;
  }
  bool add(Json value) {
    append(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() == kMaxJsonDepth)
      return reject(bytes_read() - 1,
                    "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    open_.push_back(&append(std::move(container)));
    return true;
  }

  std::string_view text_;
  const char* read_;  // the end of what has been read
  Json root_;
  std::vector<Json*> open_;  // containers; only the innermost one grows
  std::string key_;
  std::size_t error_position_ = 0;
  std::string reason_;
};

Result<Json> parse_with(dom::parser& parser, std::string_view text, std::string_view name) {
  Json root;
  if (parse_fast(parser, text, root)) return root;
  PositionedParser positioned(text);
  if (positioned.parse()) return std::move(positioned.root());
  return fail(Fault::format, std::string(name) + ": not valid JSON at byte " +
                                 std::to_string(positioned.error_position()) + ": " +
                                 positioned.reason());
}

}  // namespace

struct JsonParser::Buffers {
  dom::parser parser;
};

JsonParser::JsonParser() : buffers_(std::make_unique<Buffers>()) {}
JsonParser::~JsonParser() = default;

Result<Json> JsonParser::parse(std::string_view text, std::string_view name) {
  auto parsed = parse_with(buffers_->parser, text, name);
  if (text.size() > kMaxRetainedDocumentBytes) buffers_->parser = dom::parser();
  return parsed;
}

Result<Json> parse_json(std::string_view text, std::string_view name) {
  dom::parser parser;
  return parse_with(parser, text, name);
}

}  // namespace skim

// A JSON parser that copies strings, most of a request, in runs. The parser of nlohmann::json makes
// a call per character and took most of the time of a request.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"

namespace skim {
namespace {

// Up to this many fields are compared pairwise, more are sorted: pairwise comparison of a million
// fields would take hours.
constexpr std::size_t kMaxPairwiseFields = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ASCII characters that need no escape in a string.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

// Parses one document. Every function returns whether it succeeded; then at_ is the position after
// what it read, otherwise that of the error.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool read_document(Json& into) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    if (!read_value(into, 0)) return false;
    skip_space();
    return at_ == text_.size() || wrong("unexpected data after the document");
  }

  std::size_t position() const { return at_; }
  const std::string& reason() const { return reason_; }

 private:
  bool wrong(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  // The current character; zero, which occurs nowhere, at the end.
  char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (current() == ' ' || current() == '\n' || current() == '\t' || current() == '\r') ++at_;
  }
  bool take(char c) {
    skip_space();
    if (current() != c) return false;
    ++at_;
    return true;
  }

  bool read_value(Json& into, int depth) {
    skip_space();
    switch (current()) {
      case '{':
        return read_object(into, depth + 1);
      case '[':
        return read_array(into, depth + 1);
      case '"':
        into = Json::string_t();
        return read_string(into.get_ref<std::string&>());
      case 't':
        return read_literal("true", true, into);
      case 'f':
        return read_literal("false", false, into);
      case 'n':
        return read_literal("null", nullptr, into);
      default:
        return read_number(into);
    }
  }

  template <class T>
  bool read_literal(std::string_view word, T value, Json& into) {
    if (!text_.substr(at_).starts_with(word)) return wrong("expected a value");
    at_ += word.size();
    into = value;
    return true;
  }

  bool is_too_deep(int depth) {
    if (depth <= kMaxJsonDepth) return false;
    return !wrong("nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }

  bool read_array(Json& into, int depth) {
    if (is_too_deep(depth)) return false;
    ++at_;
    into = Json::array();
    auto& list = into.get_ref<Json::array_t&>();
    if (take(']')) return true;
    do {
      if (!read_value(list.emplace_back(), depth)) return false;
    } while (take(','));
    return take(']') || wrong("expected ',' or ']'");
  }

  bool read_object(Json& into, int depth) {
    if (is_too_deep(depth)) return false;
    ++at_;
    into = Json::object();
    // Appends without a look-up of the key; duplicates are detected at the end of the object.
    Json::object_t::Container& fields = into.get_ref<Json::object_t&>();
    if (take('}')) return true;
    do {
      skip_space();
      std::string name;
      if (current() != '"') return wrong("expected a name in quotes");
      if (!read_string(name)) return false;
      if (!take(':')) return wrong("expected ':'");
      if (!read_value(fields.emplace_back(std::move(name), Json()).second, depth)) return false;
    } while (take(','));
    return (take('}') || wrong("expected ',' or '}'")) && has_unique_names(fields);
  }

  bool has_unique_names(const Json::object_t::Container& fields) {
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const auto& [name, value] : fields) {
      if (names.size() < kMaxPairwiseFields &&
          std::find(names.begin(), names.end(), name) != names.end()) {
        return duplicate_field(name);
      }
      names.push_back(name);
    }
    if (names.size() <= kMaxPairwiseFields) return true;
    std::sort(names.begin(), names.end());
    const auto duplicate = std::adjacent_find(names.begin(), names.end());
    return duplicate == names.end() || duplicate_field(*duplicate);
  }
  bool duplicate_field(std::string_view name) {
    return wrong("field '" + std::string(name.substr(0, 80)) + "' is duplicated");
  }

  bool read_string(std::string& into) {
    ++at_;
    for (;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
      into.append(text_, begin, at_ - begin);
      if (at_ == text_.size()) return wrong("unterminated string");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\' ? !read_escape(into) : !read_character(into)) return false;
    }
    ++at_;
    return true;
  }

  bool read_character(std::string& into) {
    if (static_cast<unsigned char>(current()) < 0x20)
      return wrong("unescaped control character in a string");
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) return wrong("invalid UTF-8");
    into.append(text_, at_, length);
    at_ += length;
    return true;
  }

  bool read_escape(std::string& into) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kCodes = "\"\\/\b\f\n\r\t";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'u') return read_unicode_escape(into);
    const auto found = kLetters.find(letter);
    if (found == std::string_view::npos) return wrong("invalid escape");
    into += kCodes[found];
    at_ += 2;
    return true;
  }

  // Reads the four digits of "\uXXXX".
  bool read_code(std::uint32_t& code) {
    const std::string_view digits = text_.substr(std::min(at_ + 2, text_.size()), 4);
    const auto end = digits.data() + digits.size();
    const bool whole = digits.size() == 4 && text_.substr(at_).starts_with("\\u") &&
                       std::from_chars(digits.data(), end, code, 16).ptr == end;
    if (!whole) return wrong("\\u needs four hexadecimal digits");
    at_ += 6;
    return true;
  }

  bool read_unicode_escape(std::string& into) {
    std::uint32_t code = 0, low = 0;
    if (!read_code(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return wrong("unpaired surrogate");
    if (code >= 0xD800 && code < 0xDC00) {
      if (!read_code(low)) return false;
      if (low < 0xDC00 || low >= 0xE000) return wrong("unpaired surrogate");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    char bytes[4];
    into.append(bytes, encode_utf8(code, bytes));
    return true;
  }

  // Skips digits; false when there is none.
  bool skip_digits() {
    const std::size_t begin = at_;
    while (is_digit(current())) ++at_;
    return at_ > begin;
  }

  bool read_number(Json& into) {
    const std::size_t begin = at_;
    const bool negative = current() == '-';
    if (negative) ++at_;
    const bool zero = current() == '0';
    if (!skip_digits()) return wrong("expected a value");
    if (zero && at_ > begin + (negative ? 2U : 1U)) return wrong("a number has a leading zero");
    const std::size_t whole = at_;
    if (current() == '.') {
      ++at_;
      if (!skip_digits()) return wrong("expected a digit");
    }
    if (current() == 'e' || current() == 'E') {
      ++at_;
      if (current() == '+' || current() == '-') ++at_;
      if (!skip_digits()) return wrong("expected a digit");
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    if (at_ == whole && (negative ? to_integer<std::int64_t>(digits, into)
                                  : to_integer<std::uint64_t>(digits, into))) {
      return true;
    }
    return to_double(digits, into);
  }

  // False on overflow.
  template <class Integer>
  static bool to_integer(std::string_view digits, Json& into) {
    Integer value = 0;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) return false;
    into = value;
    return true;
  }

  bool to_double(std::string_view digits, Json& into) {
    double value = 0;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) {
      // from_chars does not tell overflow from underflow; strtod does.
      value = std::strtod(std::string(digits).c_str(), nullptr);
      if (!std::isfinite(value)) return wrong("number out of range");
    }
    into = value;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string reason_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view name) {
  const auto broken = [&](std::size_t position, const std::string& reason) {
    return fail(Fault::format, std::string(name) + ": not valid JSON at byte " +
                                   std::to_string(position) + ": " + reason);
  };
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    return broken(zero, "a zero byte");
  }
  Json root;
  JsonReader reader(text);
  if (!reader.read_document(root)) return broken(reader.position(), reader.reason());
  return root;
}

}  // namespace skim

// The library's own parser looks at one character after the other, with a call for each: most of
// the time of a request to the server went there. Strings, which are most of what comes, are copied
// in runs here.
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

// Fewer fields than this are compared pairwise, more are sorted: linear look-up while parsing would
// make an object of a million fields take hours.
constexpr std::size_t kFewFields = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters of a string that stand for themselves and need no look at their neighbours.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

void append_code_point(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
  }
  byte(0x80U | (code & 0x3FU));
}

// Reads one document. Every function returns whether it went well; after that, at_ stands behind
// what it read, else on what is wrong.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool read_document(Json& into) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    if (!read_value(into, 0)) return false;
    skip_space();
    return at_ == text_.size() || wrong("something follows the document");
  }

  std::size_t position() const { return at_; }
  const std::string& reason() const { return reason_; }

 private:
  bool wrong(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  // The present character; zero, which occurs nowhere, at the end.
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (now() == ' ' || now() == '\n' || now() == '\t' || now() == '\r') ++at_;
  }
  bool take(char c) {
    skip_space();
    if (now() != c) return false;
    ++at_;
    return true;
  }

  bool read_value(Json& into, int depth) {
    skip_space();
    switch (now()) {
      case '{':
        return read_object(into, depth + 1);
      case '[':
        return read_array(into, depth + 1);
      case '"':
        into = Json::string_t();
        return read_string(into.get_ref<std::string&>());
      case 't':
        return read_word("true", true, into);
      case 'f':
        return read_word("false", false, into);
      case 'n':
        return read_word("null", nullptr, into);
      default:
        return read_number(into);
    }
  }

  template <class T>
  bool read_word(std::string_view word, T value, Json& into) {
    if (!text_.substr(at_).starts_with(word)) return wrong("a value is expected");
    at_ += word.size();
    into = value;
    return true;
  }

  bool is_too_deep(int depth) {
    if (depth <= kJsonDepth) return false;
    return !wrong("nested deeper than " + std::to_string(kJsonDepth) + " levels");
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
    return take(']') || wrong("',' or ']' is expected");
  }

  bool read_object(Json& into, int depth) {
    if (is_too_deep(depth)) return false;
    ++at_;
    into = Json::object();
    // Adds past the library's own look-up of the key; duplicates are found when the object ends.
    Json::object_t::Container& fields = into.get_ref<Json::object_t&>();
    if (take('}')) return true;
    do {
      skip_space();
      std::string name;
      if (now() != '"') return wrong("a name in quotes is expected");
      if (!read_string(name)) return false;
      if (!take(':')) return wrong("':' is expected");
      if (!read_value(fields.emplace_back(std::move(name), Json()).second, depth)) return false;
    } while (take(','));
    return (take('}') || wrong("',' or '}' is expected")) && has_no_twins(fields);
  }

  bool has_no_twins(const Json::object_t::Container& fields) {
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const auto& [name, value] : fields) {
      if (names.size() < kFewFields && std::find(names.begin(), names.end(), name) != names.end()) {
        return given_twice(name);
      }
      names.push_back(name);
    }
    if (names.size() <= kFewFields) return true;
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    return twin == names.end() || given_twice(*twin);
  }
  bool given_twice(std::string_view name) {
    return wrong("field '" + std::string(name.substr(0, 80)) + "' is given twice");
  }

  bool read_string(std::string& into) {
    ++at_;
    for (;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
      into.append(text_, begin, at_ - begin);
      if (at_ == text_.size()) return wrong("a string does not end");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\' ? !read_escape(into) : !read_character(into)) return false;
    }
    ++at_;
    return true;
  }

  bool read_character(std::string& into) {
    if (static_cast<unsigned char>(now()) < 0x20) return wrong("a control character in a string");
    const std::size_t length = character_length(text_.substr(at_));
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
    if (found == std::string_view::npos) return wrong("no such escape");
    into += kCodes[found];
    at_ += 2;
    return true;
  }

  // The four digits of "\uXXXX" at the present place.
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
    if (code >= 0xDC00 && code < 0xE000) return wrong("half a surrogate pair");
    if (code >= 0xD800 && code < 0xDC00) {
      if (!read_code(low)) return false;
      if (low < 0xDC00 || low >= 0xE000) return wrong("half a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    append_code_point(into, code);
    return true;
  }

  // Goes over digits; false when there is none.
  bool pass_digits() {
    const std::size_t begin = at_;
    while (is_digit(now())) ++at_;
    return at_ > begin;
  }

  bool read_number(Json& into) {
    const std::size_t begin = at_;
    const bool negative = now() == '-';
    if (negative) ++at_;
    const bool zero = now() == '0';
    if (!pass_digits()) return wrong("a value is expected");
    if (zero && at_ > begin + (negative ? 2U : 1U)) return wrong("a number begins with a zero");
    const std::size_t whole = at_;
    if (now() == '.') {
      ++at_;
      if (!pass_digits()) return wrong("a digit is expected");
    }
    if (now() == 'e' || now() == 'E') {
      ++at_;
      if (now() == '+' || now() == '-') ++at_;
      if (!pass_digits()) return wrong("a digit is expected");
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    if (at_ == whole &&
        (negative ? to_whole<std::int64_t>(digits, into) : to_whole<std::uint64_t>(digits, into))) {
      return true;
    }
    return to_fraction(digits, into);
  }

  // False when it has too many digits for a whole number.
  template <class Whole>
  static bool to_whole(std::string_view digits, Json& into) {
    Whole value = 0;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) return false;
    into = value;
    return true;
  }

  bool to_fraction(std::string_view digits, Json& into) {
    double value = 0;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) {
      // Too large or too small, which is not told: this function does.
      value = std::strtod(std::string(digits).c_str(), nullptr);
      if (!std::isfinite(value)) return wrong("a number too large");
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

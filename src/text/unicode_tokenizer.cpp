#include "text/unicode_tokenizer.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "text/ascii_letters.h"
#include "text/unicode_kind.h"

namespace skim {
namespace {

// What a byte does at the start of a word and inside it.
enum class ByteKind : std::uint8_t { mark, space, letter, digit, inner, run, at, non_ascii };

constexpr ByteKind kind_of_byte(unsigned byte) {
  if (byte >= 0x80) return ByteKind::non_ascii;
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return ByteKind::space;
  if (is_ascii_letter(static_cast<unsigned char>(byte))) return ByteKind::letter;
  if (byte >= '0' && byte <= '9') return ByteKind::digit;
  if (byte == '\'' || byte == '_' || byte == ',' || byte == ':') return ByteKind::inner;
  if (byte == '.' || byte == '-') return ByteKind::run;
  return byte == '@' ? ByteKind::at : ByteKind::mark;
}

constexpr auto kByteKinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (unsigned byte = 0; byte < 256; ++byte) kinds[byte] = kind_of_byte(byte);
  return kinds;
}();

// Apostrophes and middle dots that do not split a word between letters (MidLetter of UAX #29).
constexpr bool is_mid_letter(char32_t code) {
  return code == 0x2019 || code == 0xB7 || code == 0x2027 || code == 0x5F3 || code == 0x5F4 ||
         code == 0xFF07;
}

constexpr std::string_view kZeroWidthSpace = "\u200B", kKeycap = "\u20E3";

// Finds the ends of words. Positions are arguments, not members, so that they stay in registers.
class UnicodeTokenizer {
 public:
  explicit UnicodeTokenizer(std::string_view text) : text_(text) {}

  void tokenize(std::vector<TokenSpan>& words) const {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      const std::size_t end = token_end(begin);
      if (end == begin) {
        begin += decode_utf8(text_, begin).length;  // white space
        continue;
      }
      words.push_back({begin, end});
      // Most words end at a space: skipping it here saves an iteration.
      begin = is(end, ' ') ? end + 1 : end;
    }
  }

 private:
  unsigned char byte(std::size_t i) const { return static_cast<unsigned char>(text_[i]); }
  ByteKind kind(std::size_t i) const { return kByteKinds[byte(i)]; }
  bool has(std::size_t i, std::string_view bytes) const {
    return text_.substr(i).starts_with(bytes);
  }

  // Predicates of position i; false past the end.
  bool is(std::size_t i, char c) const { return i < text_.size() && text_[i] == c; }
  bool is(std::size_t i, ByteKind k) const { return i < text_.size() && kind(i) == k; }
  bool is_ascii_word(std::size_t i) const {
    return is(i, ByteKind::letter) || is(i, ByteKind::digit);
  }
  bool starts_word(std::size_t i) const {
    if (!is(i, ByteKind::non_ascii)) return is_ascii_word(i);
    const UnicodeKind found = unicode_kind(decode_utf8(text_, i).code);
    return found == UnicodeKind::letter || found == UnicodeKind::digit;
  }
  bool is_digit(std::size_t i) const {
    if (!is(i, ByteKind::non_ascii)) return is(i, ByteKind::digit);
    return unicode_kind(decode_utf8(text_, i).code) == UnicodeKind::digit;
  }
  // Whether the character that ends before i > 0, which is valid UTF-8, is a digit.
  bool is_digit_before(std::size_t i) const {
    std::size_t first = i - 1;
    while (is_continuation(byte(first))) --first;
    return is_digit(first);
  }

  // The end of the word at `begin`; `begin` at white space.
  std::size_t token_end(std::size_t begin) const {
    switch (kind(begin)) {
      case ByteKind::space:
        return begin;
      case ByteKind::letter:
      case ByteKind::digit:
        return word_end(begin);
      case ByteKind::run:
        return run_end(begin);
      case ByteKind::at:
        return mention_end(begin);
      case ByteKind::non_ascii:
        return non_ascii_end(begin);
      case ByteKind::mark:
      case ByteKind::inner:
        break;
    }
    return mark_end(begin);
  }

  // Includes zero width spaces, which only separate words, in the word before them.
  std::size_t with_zero_width_spaces(std::size_t end) const {
    while (has(end, kZeroWidthSpace)) end += kZeroWidthSpace.size();
    return end;
  }

  std::size_t word_end(std::size_t begin) const {
    std::size_t stop = begin;
    while (true) {
      stop = skip_ascii_letters(text_, stop);
      if (stop == text_.size() || kind(stop) == ByteKind::space) return stop;
      const std::size_t inside = bytes_inside(begin, stop);
      if (inside == 0) return word_end(begin, stop);
      stop += inside;
      if (has(stop - inside, kKeycap)) return with_zero_width_spaces(stop);
    }
  }

  // Number of bytes at `stop` that belong to the word that extends to it.
  std::size_t bytes_inside(std::size_t begin, std::size_t stop) const {
    switch (kind(stop)) {
      case ByteKind::digit:
        return 1;
      case ByteKind::non_ascii: {
        const CodePoint next = decode_utf8(text_, stop);
        const bool inside = is_mid_letter(next.code) ? starts_word(stop + next.length)
                                                     : continues_word(unicode_kind(next.code));
        return inside ? next.length : 0;
      }
      case ByteKind::inner:
        if (text_[stop] == '\'' || text_[stop] == '_') return starts_word(stop + 1) ? 1 : 0;
        [[fallthrough]];
      case ByteKind::run:
        return stop > begin && text_[stop] != '-' && is_digit_before(stop) && is_digit(stop + 1);
      default:
        return 0;
    }
  }

  // The word extends to `stop` by its characters; it may go on: z.B., https://…
  std::size_t word_end(std::size_t begin, std::size_t stop) const {
    if (text_[stop] == ':') return url_end(begin, stop);
    if (text_[stop] != '.') return with_zero_width_spaces(stop);
    return is_www(begin, stop) ? url_end(begin, stop) : end_of_initials(begin, stop);
  }

  // Length of the letter at i; 0 when there is none.
  std::size_t letter_length(std::size_t i) const {
    if (is(i, ByteKind::letter)) return 1;
    if (!is(i, ByteKind::non_ascii)) return 0;
    const CodePoint found = decode_utf8(text_, i);
    return unicode_kind(found.code) == UnicodeKind::letter ? found.length : 0;
  }

  // z.B., U.S.A. and U.S.A stay whole. `stop` is that of the first letter's full stop.
  std::size_t end_of_initials(std::size_t begin, std::size_t stop) const {
    if (letter_length(begin) != stop - begin) return stop;
    std::size_t end = begin;
    std::size_t length = letter_length(end);
    while (length != 0 && is(end + length, '.')) {
      end += length + 1;
      length = letter_length(end);
    }
    if (end == stop + 1) return stop;
    return length != 0 && !starts_word(end + length) ? end + length : end;
  }

  bool is_www(std::size_t begin, std::size_t stop) const {
    return stop - begin == 3 && (byte(begin) | 0x20) == 'w' && (byte(begin + 1) | 0x20) == 'w' &&
           (byte(begin + 2) | 0x20) == 'w' && is_ascii_word(stop + 1);
  }

  static bool is_url_byte(unsigned char byte) {
    return byte > ' ' && byte < 0x7F &&
           std::string_view("\"<>\\^`{|}").find(static_cast<char>(byte)) == std::string_view::npos;
  }

  // The end of the address whose scheme ends at the colon at `stop`, or whose "www" ends at the
  // full stop there, without the punctuation marks after it; `stop` when there is none.
  std::size_t url_end(std::size_t begin, std::size_t stop) const {
    const bool scheme = text_[stop] == ':';
    if (scheme && (!has(stop, "://") || skip_ascii_letters(text_, begin) != stop)) return stop;
    const std::size_t host = stop + (scheme ? 3 : 1);
    std::size_t end = host;
    while (end < text_.size() && is_url_byte(byte(end))) ++end;
    while (end > host && !is_ascii_word(end - 1) && text_[end - 1] != '/') --end;
    return end > host ? end : stop;
  }

  std::size_t run_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (is(end, text_[begin])) ++end;
    return with_zero_width_spaces(end);
  }

  // The end of @name. The at sign of an e-mail address is a word.
  std::size_t mention_end(std::size_t begin) const {
    if (begin > 0 && is_ascii_word(begin - 1)) return mark_end(begin);
    std::size_t end = begin + 1;
    while (end < text_.size()) {
      if (is_ascii_word(end) || text_[end] == '_') {
        ++end;
        continue;
      }
      if (kind(end) != ByteKind::non_ascii) break;
      const CodePoint next = decode_utf8(text_, end);
      if (!continues_word(unicode_kind(next.code))) break;
      end += next.length;
    }
    return end == begin + 1 ? mark_end(begin) : with_zero_width_spaces(end);
  }

  std::size_t mark_end(std::size_t begin) const {
    const CodePoint mark{byte(begin), 1};
    return is(begin + 1, ByteKind::non_ascii) ? cluster_end(begin, mark) : begin + 1;
  }

  // Returns `begin` at white space.
  std::size_t non_ascii_end(std::size_t begin) const {
    const CodePoint first = decode_utf8(text_, begin);
    switch (unicode_kind(first.code)) {
      case UnicodeKind::space:
        return begin;
      case UnicodeKind::letter:
      case UnicodeKind::digit:
        return word_end(begin);
      default:
        return cluster_end(begin, first);
    }
  }

  // The end of the grapheme cluster that starts with `first`: an emoji with its skin tone, a family
  // of emoji, a flag, and a Thai letter with its vowel and tone stay whole.
  std::size_t cluster_end(std::size_t begin, CodePoint first) const {
    std::size_t end = begin + first.length;
    GraphemeCluster cluster(first.code);
    while (is(end, ByteKind::non_ascii)) {
      const CodePoint next = decode_utf8(text_, end);
      if (cluster.breaks_before(next.code)) break;
      end += next.length;
    }
    return with_zero_width_spaces(end);
  }

  std::string_view text_;
};

}  // namespace

void split_by_unicode_rules(std::string_view text, std::vector<TokenSpan>& words) {
  UnicodeTokenizer(text).tokenize(words);
}

}  // namespace skim

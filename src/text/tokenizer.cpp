#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "skim/tokenizer.h"
#include "text/ascii_letters.h"
#include "text/unicode.h"
#include "text/unicode_tokenizer.h"

namespace skim {
namespace {

enum class Kind : std::uint8_t { mark, space, letter, digit, quote, separator, run, non_ascii };

constexpr Kind classify_byte(unsigned byte) {
  if (byte >= 0x80) return Kind::non_ascii;
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return Kind::space;
  if (is_ascii_letter(static_cast<unsigned char>(byte))) return Kind::letter;
  if (byte >= '0' && byte <= '9') return Kind::digit;
  if (byte == '\'' || byte == '`') return Kind::quote;
  if (byte == ',' || byte == ':') return Kind::separator;
  if (byte == '.' || byte == '-') return Kind::run;
  return Kind::mark;
}

constexpr auto kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (unsigned byte = 0; byte < 256; ++byte) kinds[byte] = classify_byte(byte);
  return kinds;
}();

// Up to four letters in lower case as one number.
constexpr std::uint32_t packed(std::string_view letters) {
  std::uint32_t value = 0;
  for (const char c : letters) value = value << 8 | (static_cast<unsigned char>(c) | 0x20U);
  return value;
}

// Words that include their full stop. "etc." is not one: it ends sentences, and GloVe has "etc".
constexpr auto kAbbreviations = [] {
  auto list = std::to_array<std::uint32_t>(
      {packed("mr"),   packed("mrs"), packed("ms"),  packed("dr"),  packed("st"),  packed("jr"),
       packed("sr"),   packed("vs"),  packed("inc"), packed("co"),  packed("ltd"), packed("corp"),
       packed("sen"),  packed("gen"), packed("gov"), packed("rep"), packed("rev"), packed("prof"),
       packed("lt"),   packed("col"), packed("sgt"), packed("jan"), packed("feb"), packed("capt"),
       packed("sept"), packed("oct"), packed("nov"), packed("dec"), packed("aug")});
  std::sort(list.begin(), list.end());
  return list;
}();

// Finds the ends of words. Positions are arguments, not members, so that they stay in registers.
class EnglishTokenizer {
 public:
  explicit EnglishTokenizer(std::string_view text) : text_(text) {}

  void tokenize(std::vector<TokenSpan>& words) const {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      std::size_t end = begin;
      switch (kind(begin)) {
        case Kind::space:
          ++begin;
          continue;
        case Kind::letter:
        case Kind::digit:
          end = word_end(begin);
          break;
        case Kind::quote:
          end = quote_end(begin, 1);
          break;
        case Kind::run:
          end = run_end(begin);
          break;
        case Kind::non_ascii:
          end = non_ascii_end(begin);
          break;
        case Kind::mark:
        case Kind::separator:
          end = begin + 1;
          break;
      }
      if (end == begin) {
        begin += decode_utf8(text_, begin).length;  // non-ASCII white space
        continue;
      }
      words.push_back({begin, end});
      // Most words end at a space: skipping it here saves an iteration.
      begin = is(end, ' ') ? end + 1 : end;
    }
  }

 private:
  unsigned char byte(std::size_t i) const { return static_cast<unsigned char>(text_[i]); }
  Kind kind(std::size_t i) const { return kKinds[byte(i)]; }

  // Predicates of position i; false past the end.
  bool is(std::size_t i, char c) const { return i < text_.size() && text_[i] == c; }
  bool is(std::size_t i, Kind k) const { return i < text_.size() && kind(i) == k; }
  bool is_upper(std::size_t i) const { return is(i, Kind::letter) && (byte(i) & 0x20) == 0; }
  bool is_either_case(std::size_t i, char lower) const {
    return is(i, Kind::letter) && (byte(i) | 0x20) == lower;
  }
  // Whether a word that extends to i continues there.
  bool is_wordlike(std::size_t i) const {
    if (i >= text_.size()) return false;
    if (kind(i) != Kind::non_ascii) return kind(i) == Kind::letter || kind(i) == Kind::digit;
    return is_wordlike(classify(decode_utf8(text_, i).code));
  }
  static bool is_wordlike(CharClass c) { return c == CharClass::letter || c == CharClass::extend; }

  std::size_t skip_letters(std::size_t i) const { return skip_ascii_letters(text_, i); }

  std::size_t word_end(std::size_t begin) const {
    std::size_t stop = begin;
    while (true) {
      stop = skip_letters(stop);
      if (stop == text_.size() || kind(stop) == Kind::space) return stop;
      const std::size_t inside = bytes_inside(begin, stop);
      if (inside == 0) return word_end(begin, stop);
      stop += inside;
    }
  }

  // Number of bytes at `stop` that belong to the word that extends to it.
  std::size_t bytes_inside(std::size_t begin, std::size_t stop) const {
    switch (kind(stop)) {
      case Kind::digit:
        return 1;
      case Kind::non_ascii: {
        const CodePoint next = decode_utf8(text_, stop);
        const bool inside = next.code == kTypographicApostrophe ? joins(begin, stop, next.length)
                                                                : is_wordlike(classify(next.code));
        return inside ? next.length : 0;
      }
      case Kind::quote:
        return text_[stop] == '\'' && joins(begin, stop, 1) ? 1 : 0;
      case Kind::run:
      case Kind::separator:
        return text_[stop] != '-' && kind(stop - 1) == Kind::digit && is(stop + 1, Kind::digit);
      default:
        return 0;
    }
  }

  // Whether the apostrophe of `length` bytes at i stays inside its word, as in O'Brien.
  bool joins(std::size_t begin, std::size_t i, std::size_t length) const {
    return is_wordlike(i + length) && clitic(i, length) == 0 && !is_negation(begin, i, length);
  }

  // Length of the clitic 's 'm 'd 're 've 'll whose apostrophe is at i; 0 when there is none.
  std::size_t clitic(std::size_t i, std::size_t apostrophe) const {
    const std::size_t first = i + apostrophe;
    const auto both = [&](char a, char b) {
      return is_either_case(first, a) && is_either_case(first + 1, b);
    };
    std::size_t letters = 0;
    if (both('r', 'e') || both('v', 'e') || both('l', 'l')) {
      letters = 2;
    } else if (is_either_case(first, 's') || is_either_case(first, 'm') ||
               is_either_case(first, 'd')) {
      letters = 1;
    }
    return letters == 0 || is_wordlike(first + letters) ? 0 : apostrophe + letters;
  }

  // Whether the apostrophe at i is that of n't.
  bool is_negation(std::size_t begin, std::size_t i, std::size_t apostrophe) const {
    return i > begin && is_either_case(i - 1, 'n') && is_either_case(i + apostrophe, 't') &&
           !is_wordlike(i + apostrophe + 1);
  }

  // Letters and characters between them extend to `stop`; the word may end earlier (do n't) or
  // later (Mr.).
  std::size_t word_end(std::size_t begin, std::size_t stop) const {
    if (text_[stop] == '.') return end_with_full_stop(begin, stop);
    const std::size_t apostrophe = apostrophe_at(stop);
    if (apostrophe == 0 || !is_negation(begin, stop, apostrophe)) return stop;
    return stop - 1 == begin ? stop + apostrophe + 1 : stop - 1;
  }

  // Length in bytes of the apostrophe at i; 0 when there is none.
  std::size_t apostrophe_at(std::size_t i) const {
    if (text_[i] == '\'') return 1;
    if (kind(i) != Kind::non_ascii) return 0;
    const CodePoint found = decode_utf8(text_, i);
    return found.code == kTypographicApostrophe ? found.length : 0;
  }

  // The end of the word that extends to the full stop at `stop`, with or without it.
  std::size_t end_with_full_stop(std::size_t begin, std::size_t stop) const {
    const std::string_view letters = text_.substr(begin, stop - begin);
    if (letters.size() == 1 && is(begin, Kind::letter)) return end_of_initials(begin);
    if (letters.size() > 4 || skip_letters(begin) != stop || is(stop + 1, '.')) return stop;
    const bool known =
        std::binary_search(kAbbreviations.begin(), kAbbreviations.end(), packed(letters));
    return known ? stop + 1 : stop;
  }

  // U.S., U.S.A and e.g. stay whole; a single initial only before a capital, because a sentence may
  // end with "plan B." or "than I."
  std::size_t end_of_initials(std::size_t begin) const {
    std::size_t end = begin;
    while (is(end, Kind::letter) && is(end + 1, '.')) end += 2;
    if (end - begin > 2) return is(end, Kind::letter) && !is_wordlike(end + 1) ? end + 1 : end;
    const bool name_follows = is_upper(end) || (is(end, ' ') && is_upper(end + 1));
    return name_follows && is_upper(begin) && text_[begin] != 'I' ? end : begin + 1;
  }

  // The end of an apostrophe or back quote of `length` bytes outside a word.
  std::size_t quote_end(std::size_t begin, std::size_t length) const {
    const std::size_t suffix = text_[begin] == '`' ? 0 : clitic(begin, length);
    if (suffix != 0) return begin + suffix;
    const bool doubled = length == 1 && is(begin + 1, text_[begin]);
    return begin + (doubled ? 2 : length);
  }

  std::size_t run_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (is(end, text_[begin])) ++end;
    return end;
  }

  // Returns `begin` at white space.
  std::size_t non_ascii_end(std::size_t begin) const {
    const CodePoint first = decode_utf8(text_, begin);
    if (first.code == kTypographicApostrophe) return quote_end(begin, first.length);
    const CharClass found = classify(first.code);
    if (found == CharClass::space) return begin;
    return is_wordlike(found) ? word_end(begin) : cluster_end(begin, first);
  }

  // The end of the grapheme cluster that starts with `first`: an emoji with its skin tone, a family
  // of emoji and a flag stay whole.
  std::size_t cluster_end(std::size_t begin, CodePoint first) const {
    std::size_t end = begin + first.length;
    char32_t last = first.code;
    bool flag = is_regional_indicator(first.code);
    while (is(end, Kind::non_ascii)) {
      const CodePoint next = decode_utf8(text_, end);
      const bool joined = last == kZeroWidthJoiner && is_pictograph(next.code);
      const bool second_half = flag && is_regional_indicator(next.code);
      if (classify(next.code) != CharClass::extend && !joined && !second_half) break;
      flag = false;
      last = next.code;
      end += next.length;
    }
    return end;
  }

  std::string_view text_;
};

// Length of the white space at i; 0 when there is none.
std::size_t space_at(std::string_view text, std::size_t i) {
  const Kind kind = kKinds[static_cast<unsigned char>(text[i])];
  if (kind != Kind::non_ascii) return kind == Kind::space ? 1 : 0;
  const CodePoint found = decode_utf8(text, i);
  return classify(found.code) == CharClass::space ? found.length : 0;
}

void split_at_white_space(std::string_view text, std::vector<TokenSpan>& words) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = space_at(text, i);
    if (space != 0 && i > begin) words.push_back({begin, i});
    if (space != 0) begin = i + space;
    // White space never starts inside another character, so single steps find all of it.
    i += space == 0 ? 1 : space;
  }
  if (begin < text.size()) words.push_back({begin, text.size()});
}

}  // namespace

void tokenize(std::string_view text, TokenizerKind kind, std::vector<TokenSpan>& words) {
  words.clear();
  switch (kind) {
    case TokenizerKind::english:
      return EnglishTokenizer(text).tokenize(words);
    case TokenizerKind::unicode:
      return split_by_unicode_rules(text, words);
    case TokenizerKind::whitespace:
      return split_at_white_space(text, words);
  }
}

std::vector<TokenSpan> Tokenizer::tokenize(std::string_view text) const {
  std::vector<TokenSpan> words;
  skim::tokenize(text, kind_, words);
  return words;
}

void Tokenizer::tokenize(std::string_view text, std::vector<TokenSpan>& words) const {
  skim::tokenize(text, kind_, words);
}

}  // namespace skim

#include "tasks/answer_score.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/utf8.h"
#include "text/unicode.h"

namespace skim {
namespace {

bool is_ascii_punctuation(char32_t code) {
  return code > U' ' && code < 0x7F && classify(code) == CharClass::symbol;
}

// White space as in Python's str.split: Unicode white space and four control characters.
bool is_space(char32_t code) {
  return classify(code) == CharClass::space || (code >= 0x1C && code <= 0x1F);
}

// Word characters of Python's \b. Combining marks are not among them.
bool is_word_character(char32_t code) {
  const CharClass kind = classify(code);
  return kind == CharClass::letter || kind == CharClass::glyph;
}

bool is_article(std::u32string_view word) {
  return word == U"a" || word == U"an" || word == U"the";
}

std::u32string lower_without_punctuation(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    if (!is_ascii_punctuation(next.code)) codes += to_lower(next.code);
    at += next.length;
  }
  return codes;
}

// Length of the run of word characters at the start, or 1 for any other character.
std::size_t token_length(std::u32string_view codes) {
  const auto end = std::find_if_not(codes.begin(), codes.end(), is_word_character);
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - codes.begin()));
}

void append_utf8(std::u32string_view codes, std::string& text) {
  for (const char32_t code : codes) {
    char bytes[4];
    text.append(bytes, encode_utf8(code, bytes));
  }
}

std::vector<std::string_view> sorted_words(std::string_view normalized) {
  std::vector<std::string_view> words;
  while (!normalized.empty()) {
    const std::size_t end = std::min(normalized.find(' '), normalized.size());
    words.push_back(normalized.substr(0, end));
    normalized.remove_prefix(std::min(end + 1, normalized.size()));
  }
  std::sort(words.begin(), words.end());
  return words;
}

double word_f1(std::string_view answer, std::string_view gold) {
  const auto given = sorted_words(answer);
  const auto expected = sorted_words(gold);
  std::vector<std::string_view> common;  // multiset intersection
  std::set_intersection(given.begin(), given.end(), expected.begin(), expected.end(),
                        std::back_inserter(common));
  if (common.empty()) return 0;
  const auto same = static_cast<double>(common.size());
  const double precision = same / static_cast<double>(given.size());
  const double recall = same / static_cast<double>(expected.size());
  return 2 * precision * recall / (precision + recall);
}

}  // namespace

std::string normalize_answer(std::string_view answer) {
  const std::u32string codes = lower_without_punctuation(answer);
  std::string normalized;
  bool pending_space = false;
  for (std::u32string_view rest = codes; !rest.empty();) {
    const std::u32string_view token = rest.substr(0, token_length(rest));
    rest.remove_prefix(token.size());
    // The official script replaces an article by a space, so its neighbours stay separate words.
    if (is_space(token[0]) || is_article(token)) {
      pending_space = !normalized.empty();
      continue;
    }
    if (pending_space) normalized += ' ';
    pending_space = false;
    append_utf8(token, normalized);
  }
  return normalized;
}

AnswerScore score_answer(std::string_view answer, std::span<const GoldAnswer> gold) {
  const std::string given = normalize_answer(answer);
  AnswerScore best;
  for (const GoldAnswer& one : gold) {
    const std::string expected = normalize_answer(one.text);
    best.exact = std::max(best.exact, given == expected ? 1.0 : 0.0);
    best.f1 = std::max(best.f1, word_f1(given, expected));
  }
  return best;
}

}  // namespace skim

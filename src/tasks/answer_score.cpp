#include "tasks/answer_score.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "text/characters.h"
#include "text/unicode.h"

namespace skim {
namespace {

bool is_ascii_punctuation(char32_t code) {
  return code > U' ' && code < 0x7F && class_of(code) == CharClass::symbol;
}

// As Python's str.split does: four control characters more than Unicode's white space.
bool is_space(char32_t code) {
  return class_of(code) == CharClass::space || (code >= 0x1C && code <= 0x1F);
}

// What the script's \b keeps together. Combining marks are no part of it.
bool is_word_part(char32_t code) {
  const CharClass kind = class_of(code);
  return kind == CharClass::letter || kind == CharClass::glyph;
}

bool is_article(std::u32string_view word) {
  return word == U"a" || word == U"an" || word == U"the";
}

std::u32string lower_without_punctuation(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (!is_ascii_punctuation(next.code)) codes += to_lower(next.code);
    at += next.length;
  }
  return codes;
}

// Length of the run of word parts at the start, or 1 for another character.
std::size_t piece_length(std::u32string_view codes) {
  const auto end = std::find_if_not(codes.begin(), codes.end(), is_word_part);
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - codes.begin()));
}

void append_utf8(std::u32string_view codes, std::string& text) {
  for (const char32_t code : codes) {
    char bytes[4];
    text.append(bytes, encode_utf8(code, bytes));
  }
}

std::vector<std::string_view> sorted_words(std::string_view normal) {
  std::vector<std::string_view> words;
  while (!normal.empty()) {
    const std::size_t end = std::min(normal.find(' '), normal.size());
    words.push_back(normal.substr(0, end));
    normal.remove_prefix(std::min(end + 1, normal.size()));
  }
  std::sort(words.begin(), words.end());
  return words;
}

double word_f1(std::string_view answer, std::string_view gold) {
  const auto given = sorted_words(answer);
  const auto right = sorted_words(gold);
  std::vector<std::string_view> common;  // a word as often as it stands in both
  std::set_intersection(given.begin(), given.end(), right.begin(), right.end(),
                        std::back_inserter(common));
  if (common.empty()) return 0;
  const auto same = static_cast<double>(common.size());
  const double precision = same / static_cast<double>(given.size());
  const double recall = same / static_cast<double>(right.size());
  return 2 * precision * recall / (precision + recall);
}

}  // namespace

std::string normal_answer(std::string_view answer) {
  const std::u32string codes = lower_without_punctuation(answer);
  std::string normal;
  bool apart = false;
  for (std::u32string_view rest = codes; !rest.empty();) {
    const std::u32string_view piece = rest.substr(0, piece_length(rest));
    rest.remove_prefix(piece.size());
    // The script puts a blank in an article's place, so what it stood between stays apart.
    if (is_space(piece[0]) || is_article(piece)) {
      apart = !normal.empty();
      continue;
    }
    if (apart) normal += ' ';
    apart = false;
    append_utf8(piece, normal);
  }
  return normal;
}

AnswerScore score_answer(std::string_view answer, std::span<const GoldAnswer> gold) {
  const std::string given = normal_answer(answer);
  AnswerScore best;
  for (const GoldAnswer& one : gold) {
    const std::string right = normal_answer(one.text);
    best.exact = std::max(best.exact, given == right ? 1.0 : 0.0);
    best.f1 = std::max(best.f1, word_f1(given, right));
  }
  return best;
}

}  // namespace skim

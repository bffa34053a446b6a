#include "train/choose_tokenizer.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/normalize.h"
#include "text/tokenizer.h"
#include "text/unicode_kind.h"

namespace skim::train {
namespace {

constexpr std::size_t kSampledExamples = 1000;
constexpr std::size_t kSampledBytes = 2000;  // of each text
// English texts of six data sets (news, reviews, posts) have 18 to 29 %, German and Chinese ones
// 0.0 %.
constexpr double kMinEnglishWords = 0.08;
constexpr double kMaxNonAsciiLetters = 0.05;

// Frequent words of English that are rare in other languages, unlike "in", "was" and "a".
constexpr auto kEnglishWords = [] {
  auto list = std::to_array<std::string_view>(
      {"the", "of",  "and",  "to",  "is",  "it",   "that", "with",  "this", "for",
       "you", "are", "have", "not", "but", "they", "from", "by",    "be",   "my",
       "his", "her", "as",   "he",  "she", "were", "what", "there", "would"});
  std::sort(list.begin(), list.end());
  return list;
}();

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1));
}

std::string percent(std::size_t part, std::size_t whole) {
  const auto tenths = static_cast<int>(share(part, whole) * 1000 + 0.5);
  const std::string digits = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + digits + " %";
}

// The first bytes of a text, without a part of a character at their end.
std::string_view sampled_bytes(std::string_view text) {
  if (text.size() <= kSampledBytes) return text;
  std::size_t end = kSampledBytes;
  while (end > 0 && is_continuation(static_cast<unsigned char>(text[end]))) --end;
  return text.substr(0, end);
}

}  // namespace

void LanguageSample::add(std::string_view text) {
  std::vector<TokenSpan> tokens;
  tokenize(text, TokenizerKind::english, tokens);
  for (const TokenSpan token : tokens) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    std::size_t letters_before = letters;
    for (std::size_t at = 0; at < word.size();) {
      const CodePoint next = decode_utf8(word, at);
      const UnicodeKind kind = unicode_kind(next.code);
      const bool unspaced = kind == UnicodeKind::unspaced;
      if (unspaced) ++unspaced_letters;
      if (unspaced || kind == UnicodeKind::letter) {
        ++letters;
        if (next.code >= 0x80) ++non_ascii_letters;
      }
      at += next.length;
    }
    if (letters == letters_before) continue;
    ++words;
    const std::string normalized = normalize(word, TokenizerKind::english);
    if (std::binary_search(kEnglishWords.begin(), kEnglishWords.end(), normalized)) ++english_words;
  }
}

TokenizerChoice choose_tokenizer(const LanguageSample& sample) {
  using enum TokenizerKind;
  const std::size_t letters = sample.letters;
  if (share(sample.unspaced_letters, letters) > kMaxNonAsciiLetters)
    return {unicode, percent(sample.unspaced_letters, letters) +
                         " of the letters are of scripts without spaces between words"};
  if (share(sample.non_ascii_letters, letters) > kMaxNonAsciiLetters)
    return {unicode, percent(sample.non_ascii_letters, letters) + " of the letters are not ASCII"};
  const bool is_english = share(sample.english_words, sample.words) >= kMinEnglishWords;
  return {is_english ? english : unicode,
          percent(sample.english_words, sample.words) + " of the words are common English words"};
}

TokenizerChoice choose_tokenizer(const std::vector<Example>& examples) {
  LanguageSample sample;
  const std::size_t count = std::min(examples.size(), kSampledExamples);
  for (std::size_t i = 0; i < count; ++i) {
    const Query& query = examples[i * examples.size() / count].query;
    sample.add(sampled_bytes(query.text));
    sample.add(sampled_bytes(query.question));
  }
  return choose_tokenizer(sample);
}

}  // namespace skim::train

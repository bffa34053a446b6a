// Tokenizes arbitrary bytes. The first half of the input also serves as a vocabulary.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fuzz.h"
#include "text/tokenizer_invariants.h"

namespace {

using skim::TokenizerKind;
using skim::TokenSpan;
using skim::fuzz::require;

// No word and no look-ahead crosses a line end.
void check_lines(std::string_view text, TokenizerKind kind) {
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return;
  std::vector<TokenSpan> whole, parts, second;
  skim::tokenize(text, kind, whole);
  skim::tokenize(text.substr(0, line_end), kind, parts);
  skim::tokenize(text.substr(line_end), kind, second);
  for (const TokenSpan word : second) parts.push_back({word.begin + line_end, word.end + line_end});
  require(whole == parts, "the words of a text are those of its lines");
}

void check_normalization(std::string_view text, TokenizerKind kind) {
  const char* violation = skim::violated_normalization(text, kind);
  require(violation == nullptr, violation);
}

// Every entry of the vocabulary that is normalized is found, and all invariants hold.
void check_vocabulary(std::string_view text, const std::vector<std::string_view>& entries,
                      TokenizerKind kind) {
  skim::Result<skim::Vocab> vocab = skim::Vocab::create(entries, kind);
  if (!vocab) vocab = skim::Vocab::create(std::span(entries).first(5), kind);
  require(vocab.has_value(), "distinct words make a vocabulary");
  for (skim::WordId id = 1; id < vocab->size(); ++id) {
    const skim::WordId found = vocab->find(vocab->word(id));
    require(found == id || skim::normalize(vocab->word(id), kind) != vocab->word(id),
            "a normalized entry is found");
  }
  const char* violation = skim::violated_invariant(text, *vocab);
  require(violation == nullptr, violation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = skim::fuzz::as_text(data, size);
  std::vector<TokenSpan> spans;
  skim::tokenize(text.substr(0, size / 2), TokenizerKind::whitespace, spans);
  std::vector<std::string_view> entries = {"", "n't", "'s", "...", "\uFFFD"};
  for (const TokenSpan word : spans) {
    entries.push_back(text.substr(word.begin, word.end - word.begin));
  }
  check_vocabulary(text, entries, TokenizerKind::english);
  check_vocabulary(text, entries, TokenizerKind::unicode);
  for (const TokenizerKind kind : skim::kTokenizerKinds) {
    check_lines(text, kind);
    check_normalization(text, kind);
  }
  return 0;
}

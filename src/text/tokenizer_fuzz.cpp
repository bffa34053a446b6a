// Tokenizes arbitrary bytes. The first half of the input also serves as a vocabulary.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/normalize.h"
#include "text/tokenizer_invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<skim::TokenSpan> spans;
  skim::tokenize(text.substr(0, size / 2), skim::TokenizerKind::whitespace, spans);
  std::vector<std::string_view> entries = {"", "n't", "'s", "...", "\uFFFD"};
  for (const skim::TokenSpan word : spans) {
    entries.push_back(text.substr(word.begin, word.end - word.begin));
  }
  skim::Result<skim::Vocab> vocab = skim::Vocab::create(entries);
  if (!vocab) vocab = skim::Vocab::create(std::span(entries).first(5));
  if (!vocab) __builtin_trap();
  for (skim::WordId id = 1; id < vocab->size(); ++id) {
    const skim::WordId found = vocab->find(vocab->word(id));
    if (skim::normalize(vocab->word(id)) == vocab->word(id) && found != id) __builtin_trap();
  }
  if (skim::violated_invariant(text, *vocab) != nullptr) __builtin_trap();
  return 0;
}

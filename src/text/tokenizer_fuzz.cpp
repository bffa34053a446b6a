// Any bytes are a text: the first half of the input also serves as a vocabulary.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/normal_form.h"
#include "text/text_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<skim::Word> extents;
  skim::tokenize(text.substr(0, size / 2), skim::Tokenizer::whitespace, extents);
  std::vector<std::string_view> entries = {"", "n't", "'s", "...", "\uFFFD"};
  for (const skim::Word word : extents) {
    entries.push_back(text.substr(word.begin, word.end - word.begin));
  }
  skim::Result<skim::Vocab> vocab = skim::Vocab::create(entries);
  if (!vocab) vocab = skim::Vocab::create(std::span(entries).first(5));
  if (!vocab) __builtin_trap();
  for (skim::WordId id = 1; id < vocab->size(); ++id) {
    const skim::WordId found = vocab->find(vocab->word(id));
    if (skim::normal_form(vocab->word(id)) == vocab->word(id) && found != id) __builtin_trap();
  }
  if (skim::broken_law(text, *vocab) != nullptr) __builtin_trap();
  return 0;
}

#include "train/distillation_crops.h"

#include <algorithm>
#include <vector>

#include "text/tokenizer.h"
#include "train/counter_rng.h"

namespace skim::train {
namespace {

// Minimum length of a crop; texts of so many words or fewer are not cropped.
constexpr std::size_t kMinWords = 3;

}  // namespace

Dataset make_distillation_crops(const Dataset& texts, TokenizerKind tokenizer,
                                const DistillationCropOptions& options) {
  Dataset crops{texts.name + " (crops)", {}};
  std::vector<TokenSpan> words;
  for (std::size_t i = 0; i < texts.examples.size(); ++i) {
    const Example& text = texts.examples[i];
    tokenize(text.query.text, tokenizer, words);
    if (words.size() <= kMinWords) continue;
    const std::size_t longest = std::min(options.max_words, words.size() - 1);
    const std::size_t shortest = std::min(longest, std::max(kMinWords, longest / 4));
    for (std::size_t j = 0; j < options.per_text; ++j) {
      const CounterRng rng = CounterRng(options.seed).at(0x91EC).at(i).at(j);
      const auto pick = [&](std::size_t count, std::uint64_t index) {
        return static_cast<std::size_t>((rng.bits(index) >> 32) * count >> 32);
      };
      const std::size_t length = shortest + pick(longest - shortest + 1, 0);
      const std::size_t first = pick(words.size() - length + 1, 1);
      const std::size_t begin = words[first].begin, end = words[first + length - 1].end;
      Example crop = text;
      crop.query.text = text.query.text.substr(begin, end - begin);
      crop.probabilities.clear();  // of the whole text
      crops.examples.push_back(std::move(crop));
    }
  }
  return crops;
}

}  // namespace skim::train

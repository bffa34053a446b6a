#include "train/pieces.h"

#include <algorithm>
#include <vector>

#include "text/tokenizer.h"
#include "train/noise.h"

namespace skim::train {
namespace {

// A shorter piece says nothing, and a shorter text is one.
constexpr std::size_t kFewestWords = 3;

}  // namespace

Dataset cut_pieces(const Dataset& texts, Tokenizer tokenizer, const PieceOptions& options) {
  Dataset pieces{texts.name + " (pieces)", {}};
  std::vector<Word> words;
  for (std::size_t i = 0; i < texts.examples.size(); ++i) {
    const Example& whole = texts.examples[i];
    tokenize(whole.query.text, tokenizer, words);
    if (words.size() <= kFewestWords) continue;
    const std::size_t longest = std::min(options.most_words, words.size() - 1);
    const std::size_t shortest = std::min(longest, std::max(kFewestWords, longest / 4));
    for (std::size_t j = 0; j < options.of_each; ++j) {
      const Noise noise = Noise(options.seed).at(0x91EC).at(i).at(j);
      const auto pick = [&](std::size_t count, std::uint64_t index) {
        return static_cast<std::size_t>((noise.bits(index) >> 32) * count >> 32);
      };
      const std::size_t length = shortest + pick(longest - shortest + 1, 0);
      const std::size_t first = pick(words.size() - length + 1, 1);
      const std::size_t begin = words[first].begin, end = words[first + length - 1].end;
      Example piece = whole;
      piece.query.text = whole.query.text.substr(begin, end - begin);
      pieces.examples.push_back(std::move(piece));
    }
  }
  return pieces;
}

}  // namespace skim::train

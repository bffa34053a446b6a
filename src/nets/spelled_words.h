// Words as their vectors and letters tell: patterns of letters beside the vector, and two layers
// that let each entry through or change it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "nets/linear.h"
#include "nets/net.h"

namespace skim {

class SpelledWords {
 public:
  explicit SpelledWords(const NetParts& parts);

  // Width of a word: of its vector and of all patterns.
  std::size_t width() const { return width_; }
  // A row a word into `into`; they stay until it is used again.
  Rows rows_of(std::span<const std::uint32_t> ids, const Asked::Spelling& spelling,
               NetMemory& memory, Buffer<float>& into) const;

 private:
  std::size_t stride() const;
  void add_vectors(std::span<const std::uint32_t> ids, Buffer<float>& into) const;
  void add_patterns(const Asked::Spelling& spelling, NetMemory& memory, Buffer<float>& into) const;
  void let_through(std::size_t layer, const MutableRows& rows, NetMemory& memory) const;

  const WordSource& words_;
  LetterSpec spec_;
  std::size_t width_;
  std::vector<float> letters_;  // 256 x spec_.width
  Linear patterns_;
  std::array<Linear, 2> change_, gate_;
};

}  // namespace skim

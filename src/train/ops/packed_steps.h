// The layout of a packed batch, like PyTorch's PackedSequence: step after step, the rows of the
// texts that are long enough. Texts are in descending order of length, so the texts of a step are a
// prefix of those of the step before, and there is no padding. To iterate over steps, split the
// rows by `sizes` at once: the gradient of a single narrow() has the size of the whole tensor.
#pragma once

#include <cstdint>
#include <vector>

namespace skim::train {

struct PackedSteps {
  std::vector<std::int64_t> sizes;    // rows of each step, never increasing
  std::vector<std::int64_t> offsets;  // the first row of each step
  std::int64_t rows = 0;

  // `lengths` are at least 1 and in descending order.
  static PackedSteps from_lengths(const std::vector<std::int64_t>& lengths) {
    PackedSteps steps;
    const std::int64_t longest = lengths.empty() ? 0 : lengths.front();
    std::size_t active = lengths.size();
    for (std::int64_t t = 0; t < longest; ++t) {
      while (lengths[active - 1] <= t) --active;
      steps.offsets.push_back(steps.rows);
      steps.sizes.push_back(static_cast<std::int64_t>(active));
      steps.rows += steps.sizes.back();
    }
    return steps;
  }

  std::int64_t count() const { return static_cast<std::int64_t>(sizes.size()); }
  std::int64_t size(std::int64_t t) const { return sizes[static_cast<std::size_t>(t)]; }
  std::int64_t offset(std::int64_t t) const { return offsets[static_cast<std::size_t>(t)]; }
  std::int64_t texts() const { return sizes.empty() ? 0 : sizes.front(); }
  std::int64_t row(std::int64_t text, std::int64_t t) const { return offset(t) + text; }
};

}  // namespace skim::train

// A batch of texts, packed: step after step, in each step the rows of those texts that reach it.
// Texts are ordered by falling length, so that the rows of a step are a prefix of those before it
// and there is no padding anywhere. Who needs all steps one by one splits the rows by `sizes`: the
// gradient of a piece that is taken by itself is as large as the whole.
#pragma once

#include <cstdint>
#include <vector>

namespace skim::train {

struct Steps {
  std::vector<std::int64_t> sizes;    // rows of each step, never rising
  std::vector<std::int64_t> offsets;  // where each step's rows begin
  std::int64_t rows = 0;

  // `lengths` must fall and be at least 1.
  static Steps of(const std::vector<std::int64_t>& lengths) {
    Steps steps;
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

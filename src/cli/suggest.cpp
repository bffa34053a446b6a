#include "cli/suggest.h"

#include <algorithm>
#include <vector>

namespace skim::cli {

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Three rows suffice: a transposition looks back two.
  std::vector<std::size_t> before(right.size() + 1), above(right.size() + 1), row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

std::optional<std::string_view> closest(std::string_view given,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t kMaxLength = 40;
  if (given.size() > kMaxLength) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = given.size() / 3 + 2;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(given, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace skim::cli

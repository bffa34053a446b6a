// When a net checks whether its answer so far is confident enough to stop reading
// (Policy::confident). It stops at the second check in a row that gives the same label with enough
// confidence: on IMDb, at a loss of 0.3 points, that leaves out 22 % of the words instead of the
// 15 % of stopping at the first one.
#pragma once

#include <algorithm>
#include <cstddef>

namespace skim {

// Words between two checks. A check pools all words read so far, which takes little time: with the
// built-in model, leaving out 22 % of IMDb's words saves 20 % of the time.
inline constexpr std::size_t kCheckWords = 64;

// The number of words of the first check after `words` words. From 512 words on the distance grows
// with their number, so that the checks of a long text take linear time.
constexpr std::size_t next_check(std::size_t words) {
  std::size_t check = 0;
  while (check <= words) check += std::max(kCheckWords, check / 4 / kCheckWords * kCheckWords);
  return check;
}

constexpr bool is_check(std::size_t words) { return words > 0 && next_check(words - 1) == words; }

}  // namespace skim

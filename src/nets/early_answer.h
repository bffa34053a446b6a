// When a net checks whether its answer so far is confident enough to stop reading
// (Policy::confident).
#pragma once

#include <algorithm>
#include <cstddef>

namespace skim {

// Words between two checks. A check pools all words read so far: the built-in model takes about 2 %
// of the time of reading the words in between, times the number of checks before.
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

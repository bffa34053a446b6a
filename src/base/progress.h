// Progress reporting for long-running work.
#pragma once

#include <cstddef>
#include <functional>

namespace skim {

// Callback that receives the completed fraction, 0 to 1, in increasing order. May be empty.
using Progress = std::function<void(double)>;

inline void report_progress(const Progress& progress, double fraction) {
  if (progress) progress(fraction);
}

// Returns a callback for one of `parts` equal parts that reports to `whole`.
inline Progress sub_progress(const Progress& whole, std::size_t part, std::size_t parts) {
  if (!whole) return {};
  return [whole, part, parts](double fraction) {
    whole((static_cast<double>(part) + fraction) / static_cast<double>(parts));
  };
}

}  // namespace skim

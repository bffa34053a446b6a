// How long work tells how far it is, without knowing who listens.
#pragma once

#include <cstddef>
#include <functional>

namespace skim {

// Called now and then with the share done, 0 to 1, rising. May be empty.
using Progress = std::function<void(double)>;

inline void tell(const Progress& progress, double share) {
  if (progress) progress(share);
}

// The progress of one of several equal parts, as progress of the whole.
inline Progress part_of(const Progress& whole, std::size_t part, std::size_t parts) {
  if (!whole) return {};
  return [whole, part, parts](double share) {
    whole((static_cast<double>(part) + share) / static_cast<double>(parts));
  };
}

}  // namespace skim

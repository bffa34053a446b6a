// Several things that may each fail, taken one after the other.
#pragma once

#include <optional>
#include <utility>

#include "skim/result.h"

namespace skim {

// Remembers the first fault; what comes after it is not looked at.
class Taking {
 public:
  template <class T>
  void take(T& into, Result<T> value) {
    if (fault_) return;
    if (value)
      into = std::move(*value);
    else
      fault_ = std::move(value).error();
  }
  template <class T>
  void check(Result<T> fine) {
    if (!fault_ && !fine) fault_ = std::move(fine).error();
  }
  template <class T>
  Result<T> finish(T whole) const {
    if (fault_) return tl::make_unexpected(*fault_);
    return whole;
  }
  Result<void> finish() const {
    if (fault_) return tl::make_unexpected(*fault_);
    return {};
  }

 private:
  std::optional<Error> fault_;
};

}  // namespace skim

// Collects the first error of several operations.
#pragma once

#include <optional>
#include <utility>

#include "skim/result.h"

namespace skim {

// Keeps the first error; later results are ignored.
class FirstError {
 public:
  template <class T>
  void take(T& into, Result<T> value) {
    if (error_) return;
    if (value)
      into = std::move(*value);
    else
      error_ = std::move(value).error();
  }
  template <class T>
  void check(Result<T> result) {
    if (!error_ && !result) error_ = std::move(result).error();
  }
  template <class T>
  Result<T> finish(T value) const {
    if (error_) return tl::make_unexpected(*error_);
    return value;
  }
  Result<void> finish() const {
    if (error_) return tl::make_unexpected(*error_);
    return {};
  }

 private:
  std::optional<Error> error_;
};

}  // namespace skim

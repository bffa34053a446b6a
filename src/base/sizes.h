// Sizes that come from outside: sums and products that tell when they do not fit.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace skim {

inline std::optional<std::size_t> checked_add(std::size_t left, std::size_t right) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::size_t> checked_mul(std::size_t left, std::size_t right) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) return std::nullopt;
  return product;
}

// 1 for no factors.
inline std::optional<std::size_t> checked_product(std::span<const std::size_t> factors) {
  std::size_t product = 1;
  for (const std::size_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace skim

// Products of untrusted sizes, with overflow checks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace skim {

// nullopt on overflow.
inline std::optional<std::size_t> checked_mul(std::size_t left, std::size_t right) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) return std::nullopt;
  return product;
}

// nullopt on overflow; 1 for no factors.
inline std::optional<std::size_t> checked_product(std::span<const std::size_t> factors) {
  std::size_t product = 1;
  for (const std::size_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace skim

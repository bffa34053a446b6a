#include "base/sizes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace skim {
namespace {

TEST(CheckedSizes, ReturnTheProductWhenItFits) {
  EXPECT_EQ(checked_mul(SIZE_MAX, 1), SIZE_MAX);
  EXPECT_EQ(checked_product({}), 1U);
  EXPECT_EQ(checked_product(std::array<std::size_t, 3>{2, 3, 4}), 24U);
}

TEST(CheckedSizes, DetectOverflow) {
  EXPECT_FALSE(checked_mul(SIZE_MAX / 2 + 1, 2));
  EXPECT_FALSE(checked_product(std::array<std::size_t, 3>{SIZE_MAX, 2, 0}));
}

}  // namespace
}  // namespace skim

#include "file/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace skim {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TensorView to_view(const TensorBytes& tensor) {
  return {tensor.name, tensor.type, tensor.shape, tensor.bytes};
}

std::vector<float> round_to_bf16(const std::vector<float>& values) {
  const auto stored = store_bf16("t", {1, values.size()}, values);
  return to_floats(to_view(*stored), nullptr);
}

std::vector<float> round_to_i8(std::vector<std::size_t> shape, const std::vector<float>& values) {
  const auto stored = store_i8("t", std::move(shape), values);
  const TensorView scale = to_view(stored->scale);
  return to_floats(to_view(stored->values), &scale);
}

TEST(FindInvalid, FindsEachPositionInAndAcrossBlocks) {
  std::vector<float> values(10000, -1.5F);
  EXPECT_FALSE(find_invalid(DataType::f32, std::as_bytes(std::span(values))));
  for (const float bad : {kNan, -kNan, kInfinity, -kInfinity}) {
    for (const std::size_t at : {0U, 1U, 4095U, 4096U, 9999U}) {
      values[at] = bad;
      EXPECT_EQ(find_invalid(DataType::f32, std::as_bytes(std::span(values))), at);
      values[at] = std::numeric_limits<float>::max();
    }
  }
  EXPECT_FALSE(find_invalid(DataType::f32, std::as_bytes(std::span(values))));
}

TEST(FindInvalid, ClassifiesEveryBf16) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    const bool finite = std::isfinite(std::bit_cast<float>(bits << 16U));
    EXPECT_EQ(find_invalid(DataType::bf16, std::as_bytes(std::span(&stored, 1))).has_value(),
              !finite);
  }
}

// By the definition, in double: sign, exponent minus 15, mantissa in 1024ths. The smallest exponent
// has no leading one; the largest denotes infinity and NaN.
TEST(ToFloats, ConvertsEveryF16) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    const TensorView tensor{"t", DataType::f16, {1}, std::as_bytes(std::span(&stored, 1))};
    const int exponent = static_cast<int>(bits >> 10U & 31U);
    const double mantissa = (bits & 1023U) / 1024.0 + (exponent == 0 ? 0 : 1);
    const double value =
        std::ldexp((bits & 0x8000U) != 0 ? -mantissa : mantissa, std::max(exponent, 1) - 15);
    EXPECT_EQ(find_invalid(DataType::f16, tensor.bytes).has_value(), exponent == 31);
    if (exponent != 31) {
      EXPECT_EQ(static_cast<double>(to_floats(tensor, nullptr)[0]), value);
    }
  }
}

TEST(FindInvalid, Int8AllowsAllButMinus128) {
  std::vector<std::int8_t> values(5000, -127);
  values[4999] = 127;
  EXPECT_FALSE(find_invalid(DataType::i8, std::as_bytes(std::span(values))));
  values[4998] = -128;
  EXPECT_EQ(find_invalid(DataType::i8, std::as_bytes(std::span(values))), 4998U);
}

TEST(FindInvalid, ReadsUnalignedBytes) {
  std::vector<std::byte> bytes(1 + 100 * sizeof(float));
  std::memcpy(bytes.data() + 1 + 70 * sizeof(float), &kNan, sizeof kNan);
  EXPECT_EQ(find_invalid(DataType::f32, std::span(bytes).subspan(1)), 70U);
}

TEST(StoreBf16, RoundsToTheNearestAndTiesToEven) {
  const float step = 1.0F / 128;  // distance of adjacent values between 1 and 2
  EXPECT_EQ(round_to_bf16({1 + 0.4F * step, 1 + 0.6F * step}), (std::vector<float>{1, 1 + step}));
  EXPECT_EQ(round_to_bf16({1 + 0.5F * step, 1 + 1.5F * step}),
            (std::vector<float>{1, 1 + 2 * step}));
  EXPECT_EQ(round_to_bf16({0, -2.5F, 1e-40F}), round_to_bf16(round_to_bf16({0, -2.5F, 1e-40F})));
}

TEST(StoreBf16, RejectsOverflow) {
  const auto stored = store_bf16("t", {1}, std::vector{3.4e38F});
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, HasSubstr("tensor 't' holds a value too large for bf16"));
}

TEST(StoreI8, ErrorIsAtMostHalfAStep) {
  const std::vector<float> row = {0.3F, -1, 0.001F, 0.77F, 0};
  const auto back = round_to_i8({1, 5}, row);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(back[i], row[i], 0.5001 / 127);
  EXPECT_NEAR(back[1], -1, 1e-4);  // the largest sets the scale
}

TEST(StoreI8, EachRowHasItsOwnScaleAndZeroRowsHaveZero) {
  const auto stored = store_i8("t", {3, 2}, std::vector<float>{127, 0, 0, 0, 1e-35F, -1e-36F});
  const auto scales = to_floats(to_view(stored->scale), nullptr);
  EXPECT_EQ(stored->scale.name, "t.scale");
  EXPECT_EQ(scales, (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(round_to_i8({3, 2}, {127, 0, 0, 0, 1e-35F, -1e-36F}),
            (std::vector<float>{127, 0, 0, 0, 0, 0}));
}

TEST(StoreI8, QuantizingDequantizedValuesGivesTheSameBytes) {
  std::uint32_t state = 7;
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> row(4);
    for (float& value : row) {
      state = state * 1664525U + 1013904223U;
      // Any finite float, which covers tiny and huge scales.
      const std::uint32_t bits = (state & 0x807FFFFFU) | ((state >> 3U) % 253U << 23U);
      value = std::bit_cast<float>(bits);
    }
    const auto once = store_i8("t", {1, 4}, row);
    ASSERT_TRUE(once) << once.error().message;
    const TensorView scale = to_view(once->scale);
    const auto twice = store_i8("t", {1, 4}, to_floats(to_view(once->values), &scale));
    EXPECT_EQ(twice->values.bytes, once->values.bytes);
    EXPECT_EQ(twice->scale.bytes, once->scale.bytes);
  }
}

TEST(StoreI8, RejectsOverflow) {
  const auto stored = store_i8("t", {1, 1}, std::vector{3e38F});
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, HasSubstr("too large for int8"));
}

}  // namespace
}  // namespace skim

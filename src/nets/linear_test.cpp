#include "nets/linear.h"

#include <gtest/gtest.h>

#include "nets/sample_parts.h"

namespace skim {
namespace {

TEST(Linear, EqualsTheProductInDoublePrecision) {
  ModelSpec spec = sample_spec();
  spec.reader.hidden_size = 21;  // no multiple of a vector's lanes
  const SampleParts sample(spec);
  const Linear linear(sample.parts(), "head", 21);
  EXPECT_EQ(linear.outputs(), spec.labels.size());
  const std::vector<float> w = sample.values("head.weight"), b = sample.values("head.bias");
  for (const std::size_t count : {0U, 1U, 2U, 3U, 8U, 37U}) {
    const std::vector<float> in = sample_values(count * 21, 7);
    Buffer<float> out;
    linear.forward({in.data(), count, 21, 21}, out);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < linear.outputs(); ++k) {
        double sum = b[k];
        for (std::size_t j = 0; j < 21; ++j) sum += double{w[k * 21 + j]} * double{in[i * 21 + j]};
        // 21 products of at most 1/2, rounded to 24 bits each.
        EXPECT_NEAR(out[i * linear.stride() + k], sum, 2e-6) << count << " rows, row " << i;
      }
    }
  }
}

TEST(Linear, TakesRowsWithGapsBetweenThem) {
  const SampleParts sample(sample_spec());
  const Linear linear(sample.parts(), "head", 6);
  const std::vector<float> in = sample_values(3 * 10, 8);
  std::vector<float> dense;
  for (std::size_t i = 0; i < 3; ++i)
    dense.insert(dense.end(), in.begin() + static_cast<std::ptrdiff_t>(i * 10),
                 in.begin() + static_cast<std::ptrdiff_t>(i * 10 + 6));
  Buffer<float> apart, together;
  linear.forward({in.data(), 3, 6, 10}, apart);
  linear.forward({dense.data(), 3, 6, 6}, together);
  for (std::size_t i = 0; i < 3 * linear.stride(); ++i) EXPECT_EQ(apart[i], together[i]);
}

}  // namespace
}  // namespace skim

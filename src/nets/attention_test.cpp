#include "nets/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nets/sample_parts.h"

namespace skim {
namespace {

constexpr std::size_t kEmbeddingSize = 5;

ModelSpec span_spec() {
  ModelSpec spec = sample_spec();
  spec.net = NetKind::span;
  spec.labels.clear();
  spec.reader.input_size = 3 * spec.embedding_size;
  return spec;
}

// Rows at the distance that attention wants, zero between them.
Buffer<float> spread(const std::vector<float>& rows, std::size_t stride) {
  const std::size_t count = rows.size() / kEmbeddingSize;
  Buffer<float> buffer(count * stride + 1);
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(rows.data() + i * kEmbeddingSize, kEmbeddingSize, buffer.data() + i * stride);
  return buffer;
}

// The attended vector of one text row, and the largest logit, by the formula.
struct Attended {
  std::vector<double> row = std::vector<double>(kEmbeddingSize);
  double largest = -std::numeric_limits<double>::infinity();
};

Attended attend_by_formula(const SampleParts& sample, const float* x,
                           const std::vector<float>& question) {
  const std::vector<float> w = sample.values("attention.query"),
                           both = sample.values("attention.product");
  Attended result;
  double total = 0;
  for (std::size_t q = 0; q < question.size() / kEmbeddingSize; ++q) {
    const float* u = question.data() + q * kEmbeddingSize;
    double logit = 0;
    for (std::size_t j = 0; j < kEmbeddingSize; ++j)
      logit += double{w[j]} * double{u[j]} + double{both[j]} * double{x[j]} * double{u[j]};
    result.largest = std::max(result.largest, logit);
    total += std::exp(logit);
    for (std::size_t j = 0; j < kEmbeddingSize; ++j)
      result.row[j] += std::exp(logit) * double{u[j]};
  }
  for (double& value : result.row) value /= total;
  return result;
}

TEST(Attention, IsTheSoftmaxWeightedMeanOfTheQuestion) {
  const SampleParts sample(span_spec());
  const Attention attention(sample.parts(), "attention.query", "attention.product");
  for (const std::size_t questions : {1U, 2U, 9U, 40U}) {
    const std::size_t texts = 6;
    const std::vector<float> text = sample_values(texts * kEmbeddingSize, 3);
    const std::vector<float> question = sample_values(questions * kEmbeddingSize, questions);
    NetMemory memory;
    std::vector<float> largest(texts);
    attention.forward(spread(question, attention.stride()), questions,
                      spread(text, attention.stride()), texts, memory, largest.data());
    for (std::size_t i = 0; i < texts; ++i) {
      const Attended expected =
          attend_by_formula(sample, text.data() + i * kEmbeddingSize, question);
      // Logits below 2 and weights that sum to 1, in 24 bits; exp adds a few units.
      EXPECT_NEAR(largest[i], expected.largest, 1e-6);
      for (std::size_t j = 0; j < kEmbeddingSize; ++j)
        EXPECT_NEAR(memory.attended[i * attention.stride() + j], expected.row[j], 1e-6)
            << questions << " words, row " << i;
    }
  }
}

TEST(Attention, ToOneWordIsThatWord) {
  const SampleParts sample(span_spec());
  const Attention attention(sample.parts(), "attention.query", "attention.product");
  const std::vector<float> text = sample_values(4 * kEmbeddingSize, 1);
  const std::vector<float> question = sample_values(kEmbeddingSize, 2);
  NetMemory memory;
  attention.forward(spread(question, attention.stride()), 1, spread(text, attention.stride()), 4,
                    memory);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < kEmbeddingSize; ++j)
      EXPECT_FLOAT_EQ(memory.attended[i * attention.stride() + j], question[j]);
  }
}

}  // namespace
}  // namespace skim

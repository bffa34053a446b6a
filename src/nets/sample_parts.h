// Random weights in the form that the layers of a net take them, for unit tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "file/sample_model.h"
#include "nets/net.h"

namespace skim {

// Values from -0.5 to 0.5.
inline std::vector<float> sample_values(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  std::uint64_t state = seed;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(state >> 40U) / static_cast<float>(1U << 24U) - 0.5F;
  }
  return values;
}

// The embeddings of a model file.
class SampleEmbeddings final : public EmbeddingTable {
 public:
  SampleEmbeddings(std::vector<float> values, int size)
      : values_(std::move(values)), size_(static_cast<std::size_t>(size)) {}
  std::size_t num_embeddings() const override { return values_.size() / size_; }
  std::size_t embedding_size() const override { return size_; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    std::copy_n(values_.data() + id * size_, size_, out);
  }

 private:
  std::vector<float> values_;
  std::size_t size_;
};

// A model file in memory and the parts that nets take from it. Not movable: the parts are views.
class SampleParts {
 public:
  explicit SampleParts(const ModelSpec& spec)
      : file_(open(spec)), embeddings_(values("embedding.weight"), spec.embedding_size) {}
  SampleParts(const SampleParts&) = delete;
  SampleParts& operator=(const SampleParts&) = delete;

  NetParts parts() const { return {file_.spec, file_, embeddings_, std::size_t{1} << 20U}; }
  const ModelSpec& spec() const { return file_.spec; }
  const EmbeddingTable& embeddings() const { return embeddings_; }
  std::vector<float> values(std::string_view tensor) const { return to_floats(file_, tensor); }

 private:
  static ModelFile open(const ModelSpec& spec) {
    const Result<std::vector<std::byte>> bytes = to_bytes(sample_draft(spec, 5));
    EXPECT_TRUE(bytes.has_value()) << bytes.error().message;
    Result<ModelFile> file = open_model_bytes(*bytes, "sample");
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return *std::move(file);
  }

  ModelFile file_;
  SampleEmbeddings embeddings_;
};

}  // namespace skim

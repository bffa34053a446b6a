// Readers with random weights whose decisions the benchmark controls through the inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/speed.h"
#include "readers/reader.h"

namespace skim {

// Random embeddings. Every word has two ids: 2 n is read, 2 n + 1 is skimmed. The sign of the first
// entry determines the decision; the other weights of the decision are small but not zero, so they
// cost as much as in a real model.
class RandomEmbeddings final : public EmbeddingTable {
 public:
  RandomEmbeddings(std::size_t words, std::size_t width, std::uint64_t seed);
  std::size_t num_embeddings() const override { return values_.size() / width_; }
  std::size_t embedding_size() const override { return width_; }
  void lookup(std::uint32_t id, float* out) const noexcept override;
  const float* row(std::uint32_t id) const { return values_.data() + id * width_; }

 private:
  std::size_t width_;
  std::vector<float> values_;
};

// A text of `words` words with Zipf frequencies, of which the fraction `rate` is skimmed.
std::vector<std::uint32_t> random_text(std::size_t words, std::size_t vocab_size, double rate,
                                       std::uint64_t seed);

struct RandomReader {
  std::vector<std::string> names;
  std::vector<std::vector<float>> values;
  std::unique_ptr<Reader> reader;
};

// `embeddings` is null for a reader of rows.
RandomReader make_random_reader(const ReaderSpec& spec, WeightType type,
                                const EmbeddingTable* embeddings, std::uint64_t seed);

}  // namespace skim

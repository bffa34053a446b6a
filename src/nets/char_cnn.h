// Word representation of BiDAF: the word embedding concatenated with character-CNN features, then
// two highway layers.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "nets/linear.h"
#include "nets/net.h"

namespace skim {

class CharCnnEmbedding {
 public:
  explicit CharCnnEmbedding(const NetParts& parts);

  // Embedding size plus number of filters.
  std::size_t width() const { return width_; }
  // Writes one row per word to `out` and returns a view of it.
  Rows forward(std::span<const std::uint32_t> ids, const EncodedQuery::Source& source,
               NetMemory& memory, Buffer<float>& out) const;

 private:
  std::size_t stride() const;
  void add_word_embeddings(std::span<const std::uint32_t> ids, const NetMemory& memory,
                           Buffer<float>& out) const;
  void add_char_features(const EncodedQuery::Source& source, NetMemory& memory,
                         Buffer<float>& out) const;
  void highway(std::size_t layer, const MutableRows& rows, NetMemory& memory) const;

  const EmbeddingTable& embeddings_;
  CharCnnSpec spec_;
  TokenizerKind tokenizer_;
  std::size_t width_;
  std::vector<float> char_embedding_;  // [256, spec_.embedding_size]
  Linear conv_;
  std::array<Linear, 2> transform_, gate_;
};

}  // namespace skim

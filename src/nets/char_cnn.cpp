#include "nets/char_cnn.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "file/model_file.h"
#include "spec/char_cnn.h"
#include "text/normalize.h"

namespace skim {
namespace {

constexpr std::size_t kRowPad = kCacheLine / sizeof(float);

std::size_t to_size(int value) { return static_cast<std::size_t>(value); }

}  // namespace

CharCnnEmbedding::CharCnnEmbedding(const NetParts& parts)
    : embeddings_(parts.embeddings),
      spec_(parts.spec.char_cnn),
      tokenizer_(parts.spec.tokenizer),
      width_(to_size(parts.spec.input_size())),
      char_embedding_(to_floats(parts.file, "char_cnn.embedding")),
      conv_(parts, "char_cnn", to_size(spec_.kernel_size) * to_size(spec_.embedding_size)),
      transform_{Linear(parts, "highway.0", width_), Linear(parts, "highway.1", width_)},
      gate_{Linear(parts, "highway.0.gate", width_), Linear(parts, "highway.1.gate", width_)} {}

std::size_t CharCnnEmbedding::stride() const { return round_up(width_, kRowPad); }

Rows CharCnnEmbedding::forward(std::span<const std::uint32_t> ids,
                               const EncodedQuery::Source& source, NetMemory& memory,
                               Buffer<float>& out) const {
  out.grow(ids.size() * stride());
  add_word_embeddings(ids, memory, out);
  add_char_features(source, memory, out);
  const MutableRows rows{out.data(), ids.size(), width_, stride()};
  for (std::size_t layer = 0; layer < transform_.size(); ++layer) highway(layer, rows, memory);
  return {out.data(), ids.size(), width_, stride()};
}

void CharCnnEmbedding::add_word_embeddings(std::span<const std::uint32_t> ids,
                                           const NetMemory& memory, Buffer<float>& out) const {
  for (std::size_t i = 0; i < ids.size(); ++i)
    lookup_word(embeddings_, memory.composed.data(), ids[i], out.data() + i * stride());
}

// Character convolution, ReLU and max pooling over the positions of each word.
void CharCnnEmbedding::add_char_features(const EncodedQuery::Source& source, NetMemory& memory,
                                         Buffer<float>& out) const {
  const std::size_t kernel_size = to_size(spec_.kernel_size), width = to_size(spec_.embedding_size);
  const std::size_t padding = (kernel_size - 1) / 2, row = kernel_size * width;
  const std::size_t num_filters = conv_.outputs();
  for (std::size_t i = 0; i < source.spans.size(); ++i) {
    const auto [begin, end] = source.spans[i];
    const std::string chars =
        char_cnn_bytes(normalize(source.text.substr(begin, end - begin), tokenizer_));
    memory.windows.grow(chars.size() * row);
    std::fill_n(memory.windows.data(), chars.size() * row, 0.0F);
    for (std::size_t at = 0; at < chars.size(); ++at) {
      for (std::size_t j = 0; j < kernel_size; ++j) {
        if (at + j < padding || at + j - padding >= chars.size()) continue;
        const auto char_id = static_cast<unsigned char>(chars[at + j - padding]);
        std::copy_n(char_embedding_.data() + char_id * width, width,
                    memory.windows.data() + at * row + j * width);
      }
    }
    conv_.forward({memory.windows.data(), chars.size(), row, row}, memory.matches);
    float* features = out.data() + i * stride() + embeddings_.embedding_size();
    std::fill_n(features, num_filters, 0.0F);  // ReLU
    for (std::size_t at = 0; at < chars.size(); ++at) {
      const float* matches = memory.matches.data() + at * conv_.stride();
      for (std::size_t f = 0; f < num_filters; ++f) features[f] = std::max(features[f], matches[f]);
    }
  }
}

// Highway layer: row += sigmoid(gate) * (relu(transform) - row).
void CharCnnEmbedding::highway(std::size_t layer, const MutableRows& rows,
                               NetMemory& memory) const {
  const Rows in{rows.data, rows.count, rows.width, rows.stride};
  transform_[layer].forward(in, memory.matches);
  gate_[layer].forward(in, memory.gates);
  for (std::size_t t = 0; t < rows.count; ++t) {
    float* row = rows.row(t);
    const float* candidate = memory.matches.data() + t * transform_[layer].stride();
    const float* gate = memory.gates.data() + t * gate_[layer].stride();
    for (std::size_t i = 0; i < rows.width; ++i) {
      const float transform_gate = 1.0F / (1.0F + std::exp(-gate[i]));
      row[i] += transform_gate * (std::max(candidate[i], 0.0F) - row[i]);
    }
  }
}

}  // namespace skim

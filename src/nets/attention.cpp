#include "nets/attention.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/attention.h"

namespace skim {

Attention::Attention(const NetParts& parts, const char* query_name, const char* product_name)
    : query_weight_(to_floats(parts.file, query_name)),
      product_weight_(to_floats(parts.file, product_name)) {}

std::size_t Attention::stride() const { return round_up(query_weight_.size(), kAttentionPad); }

void Attention::forward(const Buffer<float>& query, std::size_t query_count,
                        const Buffer<float>& context, std::size_t context_count, NetMemory& memory,
                        float* max_logits) const {
  const std::size_t width = query_weight_.size();
  memory.keys.grow(query_count * stride());
  memory.bias.grow(round_up(query_count, kAttentionPad));
  for (std::size_t i = 0; i < query_count; ++i) {
    const float* row = query.data() + i * stride();
    float* key = memory.keys.data() + i * stride();
    float bias = 0;
    for (std::size_t j = 0; j < width; ++j) {
      key[j] = product_weight_[j] * row[j];
      bias += query_weight_[j] * row[j];
    }
    std::fill(key + width, key + stride(), 0.0F);
    memory.bias[i] = bias;
  }
  memory.attended.grow(context_count * stride());
  memory.work.grow(round_up(query_count, kAttentionPad));
  const auto rows = [&](const Buffer<float>& from, std::size_t count) {
    return Rows{from.data(), count, stride(), stride()};
  };
  attention_forward({rows(memory.keys, query_count), memory.bias.data(), rows(query, query_count)},
                    rows(context, context_count),
                    {memory.attended.data(), context_count, stride(), stride()}, memory.work.data(),
                    max_logits);
}

}  // namespace skim

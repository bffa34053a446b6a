#include "nets/span.h"

#include <algorithm>
#include <functional>

#include "base/best_span.h"
#include "file/model_file.h"
#include "kernels/attention.h"
#include "kernels/pool.h"
#include "nets/attention.h"
#include "nets/stack.h"

namespace skim {
namespace {

class SpanNet final : public Net {
 public:
  explicit SpanNet(const NetParts& parts)
      : embeddings_(parts.embeddings),
        stack_(parts, parts.spec.stacks().front(), StackOutput::updates),
        attention_(parts, "attention.query", "attention.product"),
        start_weight_(with_padding(to_floats(parts.file, "start.weight"))),
        end_weight_(with_padding(to_floats(parts.file, "end.weight"))) {}

  BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                   NetOutput out) const override {
    stack_.start(memory);
    Input input;
    input.rows = question_aware_input(query, memory);
    stack_.forward(input, policy, memory);
    const std::size_t count = query.text.size();
    begin_output(out);
    append_output(boundary_logits(start_weight_, count, memory), count, out);
    append_output(boundary_logits(end_weight_, count, memory), count, out);
    return best_span(std::span(out.scores).first(count), std::span(out.scores).last(count));
  }

 private:
  std::size_t stride() const { return attention_.stride(); }

  void lookup_embeddings(std::span<const std::uint32_t> ids, const NetMemory& memory,
                         Buffer<float>& out) const {
    out.grow(ids.size() * stride());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      float* row = out.data() + i * stride();
      lookup_word(embeddings_, memory.composed.data(), ids[i], row);
      std::fill(row + embeddings_.embedding_size(), row + stride(), 0.0F);
    }
  }

  // [x; u; x * u] for each word x of the text, with its attention u over the question.
  Rows question_aware_input(const EncodedQuery& query, NetMemory& memory) const {
    const std::size_t query_size = query.question.size(), context_size = query.text.size();
    lookup_embeddings(query.question, memory, memory.pooled);
    lookup_embeddings(query.text, memory, memory.text);
    attention_.forward(memory.pooled, query_size, memory.text, context_size, memory);
    return concat_features(context_size, memory);
  }

  // Concatenates x, u and x * u.
  Rows concat_features(std::size_t count, NetMemory& memory) const {
    const std::size_t width = embeddings_.embedding_size();
    const std::size_t padded_width = round_up(3 * width, kAttentionPad);
    memory.inputs.grow(count * padded_width);
    for (std::size_t t = 0; t < count; ++t) {
      const float* x = memory.text.data() + t * stride();
      const float* u = memory.attended.data() + t * stride();
      float* row = memory.inputs.data() + t * padded_width;
      std::copy_n(x, width, row);
      std::copy_n(u, width, row + width);
      std::transform(x, x + width, u, row + 2 * width, std::multiplies<>());
    }
    return {memory.inputs.data(), count, 3 * width, padded_width};
  }

  // Logit of each word to be the start or the end of the answer, from the states of the last layer;
  // in memory.work.
  float* boundary_logits(const Buffer<float>& weights, std::size_t count, NetMemory& memory) const {
    memory.work.grow(count + kPoolPadding);
    float* logits = memory.work.data();
    std::fill_n(logits, count, 0.0F);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      row_logits(stack_.update_log(memory, direction),
                 weights.data() + direction * stack_.hidden_size(), logits);
    }
    return logits;
  }

  const EmbeddingTable& embeddings_;
  Stack stack_;
  Attention attention_;
  Buffer<float> start_weight_, end_weight_;
};

}  // namespace

std::unique_ptr<Net> make_span(const NetParts& parts) { return std::make_unique<SpanNet>(parts); }

}  // namespace skim

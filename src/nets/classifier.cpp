#include "nets/classifier.h"

#include <algorithm>
#include <vector>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/stack.h"
#include "readers/gathered_reader.h"

namespace skim {
namespace {

class Classifier final : public Net, public GatheringNet {
 public:
  explicit Classifier(const NetParts& parts)
      : spec_(parts.spec),
        stack_(
            parts, parts.spec.stacks().front(),
            parts.spec.pooling == Pooling::last ? StackOutput::final_state : StackOutput::updates) {
    if (spec_.pooling == Pooling::attention)
      pooling_weight_ = with_padding(to_floats(parts.file, "pooling.weight"));
    head_weight_ = with_padding(to_floats(parts.file, "head.weight"));
    head_bias_ = with_padding(to_floats(parts.file, "head.bias"));
  }

  const StreamingNet* streaming_net() const override {
    return spec_.bidirectional ? nullptr : this;
  }

  const GatheringNet* gathering_net() const override {
    return stack_.can_gather() ? this : nullptr;
  }
  std::unique_ptr<GatheredReader> gather() const override { return stack_.gather(); }
  bool next_chunk(std::span<const std::uint32_t> ids, const Policy& policy, NetMemory& memory,
                  TextChunk& chunk) const override {
    return stack_.next_chunk(ids, policy, memory, chunk);
  }

  BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                   NetOutput out) const override {
    start(memory);
    read(query.text, policy, memory);
    predict(memory, out);
    return {};
  }

  void start(NetMemory& memory) const override { stack_.start(memory); }

  void read(std::span<const std::uint32_t> ids, const Policy& policy,
            NetMemory& memory) const override {
    Input input;
    input.ids = ids;
    stack_.forward(input, policy, memory);
  }

  void predict(NetMemory& memory, NetOutput out) const override {
    const std::size_t count = spec_.num_logits();
    pool(memory);
    memory.work.grow(count + kPoolPadding);
    float* logits = memory.work.data();
    linear({head_weight_.data(), head_bias_.data(), count, stack_.output_size()},
           memory.pooled.data(), logits);
    write_output(logits, count, spec_.output, out);
  }

 private:
  void pool(NetMemory& memory) const {
    memory.pooled.grow(stack_.output_size() + kPoolPadding);
    if (spec_.pooling == Pooling::attention) attention_weights(memory);
    const std::size_t count = stack_.last_pass(memory, 0).steps.size();
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      float* out = memory.pooled.data() + direction * stack_.hidden_size();
      const UpdateLog log = stack_.update_log(memory, direction);
      switch (spec_.pooling) {
        case Pooling::last:
          std::copy_n(stack_.last_pass(memory, direction).state.hidden.data(), stack_.hidden_size(),
                      out);
          break;
        case Pooling::max:
          pool_max(log, out);
          break;
        case Pooling::mean:
          pool_sum(log, nullptr, out);
          for (std::size_t i = 0; i < stack_.hidden_size() && count > 0; ++i) {
            out[i] /= static_cast<float>(count);
          }
          break;
        case Pooling::attention:
          pool_sum(log, memory.work.data(), out);
          break;
      }
    }
  }

  // Attention pooling weights, into memory.work: the softmax over the words of a linear function of
  // their states.
  void attention_weights(NetMemory& memory) const {
    const std::size_t count = stack_.last_pass(memory, 0).steps.size();
    memory.work.grow(count + kPoolPadding);
    float* logits = memory.work.data();
    std::fill_n(logits, count, 0.0F);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      row_logits(stack_.update_log(memory, direction),
                 pooling_weight_.data() + direction * stack_.hidden_size(), logits);
    }
    softmax(logits, count);
  }

  ModelSpec spec_;
  Stack stack_;
  Buffer<float> pooling_weight_, head_weight_, head_bias_;
};

}  // namespace

std::unique_ptr<Net> make_classifier(const NetParts& parts) {
  return std::make_unique<Classifier>(parts);
}

}  // namespace skim

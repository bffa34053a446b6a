#include "nets/classifier.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/early_answer.h"
#include "nets/stack.h"
#include "readers/gathered_reader.h"

namespace skim {
namespace {

class Classifier final : public Net, public GatheringNet {
 public:
  explicit Classifier(const NetParts& parts)
      : spec_(parts.spec),
        temperature_(static_cast<float>(parts.file.calibration.temperature)),
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
    if (!policy.confident) return stack_.next_chunk(ids, policy, memory, chunk);
    const std::size_t seen = words_seen(memory);
    if (stack_.next_chunk(up_to(ids, seen == 0 ? 0 : seen - 1), policy, memory, chunk)) return true;
    if (seen == ids.size() || check_confidence(policy, memory)) return false;
    chunk = {};
    return stack_.next_chunk(up_to(ids, seen), policy, memory, chunk);
  }

  BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                   NetOutput out) const override {
    start(memory);
    if (policy.confident)
      read_until_confident(query.text, policy, memory);
    else
      read(query.text, policy, memory);
    predict(memory, out);
    return {};
  }

  void start(NetMemory& memory) const override {
    stack_.start(memory);
    memory.confident_label.reset();
  }

  void read(std::span<const std::uint32_t> ids, const Policy& policy,
            NetMemory& memory) const override {
    Input input;
    input.ids = ids;
    stack_.forward(input, policy, memory);
  }

  void predict(NetMemory& memory, NetOutput out) const override {
    write_output(logits(memory), spec_.num_logits(), spec_.output, out, temperature_);
  }

  bool check_confidence(const Policy& policy, NetMemory& memory) const override {
    if (!policy.confident || !is_check(words_seen(memory))) return false;
    float* scores = logits(memory);
    const std::size_t labels = spec_.labels.size();
    logits_to_scores(scores, labels, temperature_);
    const float* best = std::max_element(scores, scores + labels);
    std::optional<std::size_t> label;
    if (*best >= *policy.confident) label = static_cast<std::size_t>(best - scores);
    return std::exchange(memory.confident_label, label) == label && label;
  }

 private:
  std::size_t words_seen(const NetMemory& memory) const {
    return stack_.last_pass(memory, 0).steps.size();
  }

  // The words up to the first check after `words` words.
  static std::span<const std::uint32_t> up_to(std::span<const std::uint32_t> ids,
                                              std::size_t words) {
    return ids.first(std::min(next_check(words), ids.size()));
  }

  void read_until_confident(std::span<const std::uint32_t> ids, const Policy& policy,
                            NetMemory& memory) const {
    for (std::size_t seen = 0; seen < ids.size();) {
      read(up_to(ids, seen).subspan(seen), policy, memory);
      seen = words_seen(memory);
      if (seen < ids.size() && check_confidence(policy, memory)) return;
    }
  }

  // The logits for the words read so far, in memory.work.
  float* logits(NetMemory& memory) const {
    const std::size_t count = spec_.num_logits();
    pool(memory);
    memory.work.grow(count + kPoolPadding);
    linear({head_weight_.data(), head_bias_.data(), count, stack_.output_size()},
           memory.pooled.data(), memory.work.data());
    return memory.work.data();
  }

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
  float temperature_;
  Stack stack_;
  Buffer<float> pooling_weight_, head_weight_, head_bias_;
};

}  // namespace

std::unique_ptr<Net> make_classifier(const NetParts& parts) {
  return std::make_unique<Classifier>(parts);
}

}  // namespace skim

#include "nets/classifier.h"

#include <algorithm>
#include <vector>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/stack.h"

namespace skim {
namespace {

class Classifier final : public Net, public Listener {
 public:
  explicit Classifier(const NetParts& parts)
      : spec_(parts.spec),
        stack_(parts, parts.spec.stacks().front(),
               parts.spec.pooling == Pooling::last ? Keep::states : Keep::log) {
    if (spec_.pooling == Pooling::attention) pool_w_ = with_slack(to_floats(parts.file, "pool.w"));
    head_w_ = with_slack(to_floats(parts.file, "head.w"));
    head_b_ = with_slack(to_floats(parts.file, "head.b"));
  }

  const Listener* listener() const override { return spec_.bidirectional ? nullptr : this; }

  Piece answer(const Asked& asked, const Policy& policy, NetMemory& memory,
               std::vector<float>& into) const override {
    start(memory);
    read(asked.text, policy, memory);
    scores(memory, into);
    return {};
  }

  void start(NetMemory& memory) const override { stack_.start(memory); }

  void read(std::span<const std::uint32_t> words, const Policy& policy,
            NetMemory& memory) const override {
    Input input;
    input.words = words;
    stack_.read(input, policy, memory);
  }

  void scores(NetMemory& memory, std::vector<float>& scores) const override {
    scores.resize(spec_.labels.size());
    pool(memory);
    memory.work.grow(scores.size() + kPoolSlack);
    float* logits = memory.work.data();
    dense({head_w_.data(), head_b_.data(), scores.size(), stack_.row_width()}, memory.pooled.data(),
          logits);
    softmax(logits, scores.size());
    std::copy_n(logits, scores.size(), scores.begin());
  }

 private:
  void pool(NetMemory& memory) const {
    memory.pooled.grow(stack_.row_width() + kPoolSlack);
    if (spec_.pooling == Pooling::attention) attend(memory);
    const std::size_t count = stack_.last_pass(memory, 0).steps.size();
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      float* out = memory.pooled.data() + direction * stack_.hidden();
      const PoolLog log = stack_.log_of(memory, direction);
      switch (spec_.pooling) {
        case Pooling::last:
          std::copy_n(stack_.last_pass(memory, direction).state.hidden.data(), stack_.hidden(),
                      out);
          break;
        case Pooling::max:
          pool_max(log, out);
          break;
        case Pooling::mean:
          pool_sum(log, nullptr, out);
          for (std::size_t i = 0; i < stack_.hidden() && count > 0; ++i) {
            out[i] /= static_cast<float>(count);
          }
          break;
        case Pooling::attention:
          pool_sum(log, memory.work.data(), out);
          break;
      }
    }
  }

  // How much each word counts, into memory.work. A word's score is that of its whole row.
  void attend(NetMemory& memory) const {
    const std::size_t count = stack_.last_pass(memory, 0).steps.size();
    memory.work.grow(count + kPoolSlack);
    float* scores = memory.work.data();
    std::fill_n(scores, count, 0.0F);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      pool_scores(stack_.log_of(memory, direction), pool_w_.data() + direction * stack_.hidden(),
                  scores);
    }
    softmax(scores, count);
  }

  ModelSpec spec_;
  Stack stack_;
  Buffer<float> pool_w_, head_w_, head_b_;
};

}  // namespace

std::unique_ptr<Net> make_classifier(const NetParts& parts) {
  return std::make_unique<Classifier>(parts);
}

}  // namespace skim

// LSTM-Jump (Yu et al. 2017): after every tokens_per_jump words (or sentences) a softmax over the
// hidden state predicts the length of the next jump; 0 stops reading. A question after the text is
// read completely. The threshold has three settings: 0 reads everything, 1 reads nothing, every
// value in between follows the model.
#include <algorithm>
#include <limits>

#include "kernels/pool.h"
#include "readers/factories.h"
#include "readers/skipping.h"
#include "readers/thresholds.h"

namespace skim {
namespace {

// Value of SkipState::tokens_to_skip after a jump of 0.
constexpr std::uint64_t kSkipRest = std::numeric_limits<std::uint64_t>::max();

class LstmJumpReader final : public SkippingReader {
 public:
  LstmJumpReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                 const EmbeddingTable* embeddings, std::size_t table_bytes)
      : SkippingReader(spec, tensors, weights, embeddings, table_bytes),
        weight_(with_padding(tensors, "jump.weight")),
        bias_(with_padding(tensors, "jump.bias")) {}

 protected:
  void init_skip_state(SkipState& skip_state) const override {
    skip_state.tokens_to_read = tokens_per_jump();
  }

  Segment next_segment(const Remaining& remaining, const Policy& policy,
                       const State& state) const noexcept override {
    if (skips_all(policy)) return {false, remaining.count, 0, 0};
    if (reads_all(policy) || remaining.over_question) return {true, remaining.count, 1, 0};
    const SkipState& skip_state = state.skip_state;
    if (skip_state.tokens_to_skip == kSkipRest) return {false, remaining.count, 0, 0};
    return skip_state.tokens_to_skip > 0 ? make_segment(remaining, skip_state.tokens_to_skip, false)
                                         : make_segment(remaining, skip_state.tokens_to_read, true);
  }

  void after_step(const Segment& segment, const Policy& policy, State& state,
                  Scratch& scratch) const override {
    SkipState& skip_state = state.skip_state;
    if (!segment.read) {
      skip_state.tokens_to_skip -= segment.units;
      return;
    }
    skip_state.tokens_to_read -= segment.units;
    if (skip_state.tokens_to_read > 0) return;
    const std::uint64_t jump =
        skip_state.jumps_taken < static_cast<std::uint64_t>(spec().jump.max_jumps)
            ? choose_jump(policy, state, scratch)
            : 0;
    ++skip_state.jumps_taken;
    skip_state.tokens_to_read = tokens_per_jump();
    // A jump of 1 continues with the next word and skips none.
    skip_state.tokens_to_skip = jump == 0 ? kSkipRest : jump - 1;
  }

 private:
  std::uint64_t tokens_per_jump() const {
    return static_cast<std::uint64_t>(spec().jump.tokens_per_jump);
  }

  // A segment of the next `units` words or sentences, or fewer at the end of the input.
  Segment make_segment(const Remaining& remaining, std::uint64_t units, bool read) const {
    const float p_read = read ? 1 : 0;
    const std::vector<int>& ends = spec().jump.sentence_end_ids;
    if (ends.empty()) {
      const std::uint64_t count = std::min(units, remaining.count);
      return {read, count, p_read, count};
    }
    std::uint64_t count = 0, ended = 0;
    while (count < remaining.count && ended < units) {
      const auto word = static_cast<int>(remaining.ids[count++]);
      if (std::find(ends.begin(), ends.end(), word) != ends.end()) ++ended;
    }
    return {read, count, p_read, ended};
  }

  static bool reads_all(const Policy& policy) {
    return policy.rule == Policy::Rule::threshold && policy.threshold <= 0;
  }
  static bool skips_all(const Policy& policy) {
    return policy.rule == Policy::Rule::threshold && policy.threshold >= 1;
  }

  std::uint64_t choose_jump(const Policy& policy, const State& state, Scratch& scratch) const {
    const std::size_t num_jumps = static_cast<std::size_t>(spec().jump.max_jump) + 1;
    scratch.floats.grow(num_jumps + kPoolPadding);
    float* logits = scratch.floats.data();
    linear({weight_.data(), bias_.data(), num_jumps, static_cast<std::size_t>(spec().hidden_size)},
           state.hidden.data(), logits);
    if (policy.rule != Policy::Rule::sample)
      return static_cast<std::uint64_t>(std::max_element(logits, logits + num_jumps) - logits);
    softmax(logits, num_jumps);
    float threshold = uniform(policy.seed, state.stream, state.position);
    std::size_t jump = 0;
    while (jump + 1 < num_jumps && (threshold -= logits[jump]) >= 0) ++jump;
    return jump;
  }

  Buffer<float> weight_, bias_;
};

}  // namespace

std::unique_ptr<Reader> make_lstm_jump_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const EmbeddingTable* embeddings,
                                              std::size_t table_bytes) {
  return std::make_unique<LstmJumpReader>(spec, tensors, weights, embeddings, table_bytes);
}

}  // namespace skim

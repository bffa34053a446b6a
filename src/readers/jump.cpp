// LSTM-Jump (Yu et al. 2017): after each run of words, or of sentences, a softmax over the state
// says how far to go on, or that enough was read. A question after the text is read whole. The dial
// has three positions: 0 reads everything, 1 nothing, and all between leave the choice to the
// model.
#include <algorithm>
#include <limits>

#include "kernels/pool.h"
#include "readers/kinds.h"
#include "readers/leaping.h"
#include "readers/limits.h"

namespace skim {
namespace {

constexpr std::uint64_t kForGood = std::numeric_limits<std::uint64_t>::max();

class JumpReader final : public LeapingReader {
 public:
  JumpReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
             const WordSource* words, std::size_t table_bytes)
      : LeapingReader(spec, tensors, weights, words, table_bytes),
        w_(with_slack(tensors, "jump.w")),
        b_(with_slack(tensors, "jump.b")) {}

 protected:
  void begin(Pace& pace) const override { pace.reading = run(); }

  Leap next(const Ahead& ahead, const Policy& policy, const State& state) const noexcept override {
    if (reads_nothing(policy)) return {false, ahead.count, 0, 0};
    if (reads_all(policy) || ahead.of_question) return {true, ahead.count, 1, 0};
    const Pace& pace = state.pace;
    if (pace.passing == kForGood) return {false, ahead.count, 0, 0};
    return pace.passing > 0 ? leap_over(ahead, pace.passing, false)
                            : leap_over(ahead, pace.reading, true);
  }

  void passed(const Leap& leap, const Policy& policy, State& state,
              Scratch& scratch) const noexcept override {
    Pace& pace = state.pace;
    if (!leap.read) {
      pace.passing -= leap.units;
      return;
    }
    pace.reading -= leap.units;
    if (pace.reading > 0) return;
    const std::uint64_t jump = pace.jumps < static_cast<std::uint64_t>(spec().jump.most)
                                   ? chosen_jump(policy, state, scratch)
                                   : 0;
    ++pace.jumps;
    pace.reading = run();
    // One on is the next one: nothing is passed over.
    pace.passing = jump == 0 ? kForGood : jump - 1;
  }

 private:
  std::uint64_t run() const { return static_cast<std::uint64_t>(spec().jump.run); }

  // The words of the next `units`, or fewer when those end before.
  Leap leap_over(const Ahead& ahead, std::uint64_t units, bool read) const {
    const float p_read = read ? 1 : 0;
    const std::vector<int>& ends = spec().jump.ends;
    if (ends.empty()) {
      const std::uint64_t count = std::min(units, ahead.count);
      return {read, count, p_read, count};
    }
    std::uint64_t count = 0, ended = 0;
    while (count < ahead.count && ended < units) {
      const auto word = static_cast<int>(ahead.words[count++]);
      if (std::find(ends.begin(), ends.end(), word) != ends.end()) ++ended;
    }
    return {read, count, p_read, ended};
  }

  static bool reads_all(const Policy& policy) {
    return policy.rule == Policy::Rule::threshold && policy.read_above <= 0;
  }
  static bool reads_nothing(const Policy& policy) {
    return policy.rule == Policy::Rule::threshold && policy.read_above >= 1;
  }

  std::uint64_t chosen_jump(const Policy& policy, const State& state,
                            Scratch& scratch) const noexcept {
    const std::size_t ways = static_cast<std::size_t>(spec().jump.reach) + 1;
    scratch.floats.grow(ways + kPoolSlack);
    float* scores = scratch.floats.data();
    dense({w_.data(), b_.data(), ways, static_cast<std::size_t>(spec().hidden)},
          state.hidden.data(), scores);
    if (policy.rule != Policy::Rule::sample)
      return static_cast<std::uint64_t>(std::max_element(scores, scores + ways) - scores);
    softmax(scores, ways);
    float left = draw(policy.seed, state.stream, state.position);
    std::size_t way = 0;
    while (way + 1 < ways && (left -= scores[way]) >= 0) ++way;
    return way;
  }

  Buffer<float> w_, b_;
};

}  // namespace

std::unique_ptr<Reader> make_jump_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         WeightType weights, const WordSource* words,
                                         std::size_t table_bytes) {
  return std::make_unique<JumpReader>(spec, tensors, weights, words, table_bytes);
}

}  // namespace skim

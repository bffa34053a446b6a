// The plain and the skimming reader. They share everything but the choice: a plain reader is one
// with no small levels.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "kernels/pool.h"
#include "kernels/sequence.h"
#include "readers/inputs.h"
#include "readers/kinds.h"
#include "readers/limits.h"
#include "readers/reader.h"
#include "readers/weights.h"
#include "readers/word_table.h"

namespace skim {
namespace {

// Room behind the state for loads of whole vectors, whatever the target, here and in
// kernels/pool.h.
constexpr std::size_t kStateSlack = kPoolSlack;

class RecurrentReader final : public Reader {
 public:
  RecurrentReader(const ReaderSpec& spec, const Tensors& tensors, WeightType type,
                  const WordSource* words, std::size_t table_bytes)
      : weights_(pack_reader(spec, tensors, type)), words_(words) {
    if (words == nullptr) return;
    if (weights_.skims()) {
      small_table_.emplace(weights_.small_input, *words, table_bytes);
      table_bytes -= small_table_->bytes();
    }
    big_table_.emplace(weights_.big_input, *words, table_bytes);
  }
  // The tables refer to the weights beside them.
  RecurrentReader(const RecurrentReader&) = delete;
  RecurrentReader& operator=(const RecurrentReader&) = delete;

  const ReaderSpec& spec() const override { return weights_.spec; }

  void start(State& state) const override {
    state.hidden.grow(state_floats());
    state.hidden.clear();
    if (weights_.spec.cell == Cell::lstm) {
      state.cell.grow(state_floats());
      state.cell.clear();
    }
    state.position = 0;
    state.sweep = 0;
  }

  void read(const Input& input, const Policy& policy, State& state, const Output& output,
            std::span<Step> steps, Scratch& scratch) const noexcept override {
    const std::size_t count = input.count();
    Memory memory = carve(scratch);
    Output rest = output;
    const std::size_t most = input.words.empty() ? kProjectedRows : kBlockRows;
    for (std::size_t first = 0; first < count; first += most) {
      const Block block{input, first, std::min(most, count - first)};
      read_block(block, policy, state, rest, memory);
      const std::size_t width = write_steps(block, policy, memory, steps);
      if (rest.log != nullptr) rest.log += width;
      state.position += block.count;
    }
  }

 private:
  struct Memory {
    BlockMemory block;
    float* next = nullptr;
    float* limits = nullptr;
    float* certainty = nullptr;
    std::uint16_t* widths = nullptr;
    float* tail_sums = nullptr;
    std::int16_t* rounded = nullptr;
  };

  std::size_t state_floats() const { return weights_.padded + kStateSlack; }

  std::size_t tail_floats() const {
    std::size_t floats = 0;
    for (const SmallWeights& small : weights_.small) floats += small.cell.init.size();
    return floats;
  }

  Memory carve(Scratch& scratch) const {
    const bool dot = weights_.skims() && weights_.spec.decision == Decision::dot;
    const std::size_t small = weights_.skims() ? kBlockRows * small_stride(weights_) : 0;
    const std::size_t big = big_stride(weights_) * (words_ == nullptr ? kProjectedRows + 1 : 1);
    const std::size_t vector = round_up(static_cast<std::size_t>(weights_.spec.input), 16);
    const std::size_t vectors = vector * (dot ? kBlockRows : 1);
    const std::size_t gathered = words_ == nullptr ? kProjectedRows * vector : 0;
    const std::size_t state = round_up(state_floats(), 16);
    const std::size_t tails = round_up(tail_floats(), 16);
    scratch.floats.grow(small + big + gathered + vectors + state + tails + 2 * kBlockRows);
    scratch.pointers.grow(2 * kBlockRows);
    scratch.bytes.grow((state + kBlockRows) * sizeof(std::int16_t) + kProjectedRows);
    Memory memory;
    float* floats = scratch.floats.data();
    const auto take = [&floats](std::size_t size) { return std::exchange(floats, floats + size); };
    memory.block.small_spare = take(small);
    memory.block.big_spare = take(big);
    memory.block.gathered = take(gathered);
    memory.block.vectors = take(vectors);
    memory.next = take(state);
    memory.tail_sums = take(tails);
    memory.limits = take(kBlockRows);
    memory.certainty = take(kBlockRows);
    memory.block.small_rows = scratch.pointers.data();
    memory.block.inputs = scratch.pointers.data() + kBlockRows;
    memory.widths = reinterpret_cast<std::uint16_t*>(scratch.bytes.data());
    memory.rounded = reinterpret_cast<std::int16_t*>(memory.widths + kBlockRows);
    memory.block.slots = reinterpret_cast<std::uint8_t*>(memory.rounded + state);
    return memory;
  }

  void read_block(const Block& block, const Policy& policy, State& state, const Output& output,
                  const Memory& memory) const noexcept {
    const bool from_words = big_table_.has_value() && !block.input.words.empty();
    GateSource source{&weights_, from_words ? &*big_table_ : nullptr, &block, &memory.block};
    SequenceArgs args;
    args.count = block.count;
    args.cell = weights_.spec.cell;
    args.big = &weights_.big;
    args.big_row = from_words ? big_row_of_word : big_row_of_row;
    if (from_words) args.big_ahead = big_place_of_word;
    args.context = &source;
    args.big_stride = weights_.padded;
    args.hidden = state.hidden.data();
    args.next = memory.next;
    args.cell_state = state.cell.data();
    args.rounded = memory.rounded;
    args.sweep = state.sweep;
    if (weights_.skims()) add_skimming(block, policy, state, memory, from_words, args.skim);
    if (!from_words)
      prepare_likely_rows(weights_, block, state.hidden.data(), args.skim, memory.block);
    args.widths = memory.widths;
    args.certainty = memory.certainty;
    direct_rows(block, output, args);

    std::memset(memory.next, 0, state_floats() * sizeof(float));
    const SequenceEnd end = read_sequence(args);
    if (end.hidden != state.hidden.data()) {
      std::memcpy(state.hidden.data(), end.hidden, state_floats() * sizeof(float));
    }
    state.sweep = end.sweep;
  }

  void add_skimming(const Block& block, const Policy& policy, const State& state,
                    const Memory& memory, bool from_words, SkimArgs& skim) const noexcept {
    if (from_words) {
      prepare_small_words(weights_, *small_table_, *words_, block, memory.block);
    } else {
      prepare_decisions(weights_, block, memory.block);
      if (weights_.has_small_gates()) skim.small_row = small_row_of_row;
    }
    skim.levels = static_cast<std::size_t>(weights_.spec.levels());
    skim.decision = &weights_.decision;
    skim.rows = memory.block.small_rows;
    skim.inputs = memory.block.inputs;
    float* tail_sum = memory.tail_sums;
    for (std::size_t level = 0; level < weights_.small.size(); ++level) {
      const SmallWeights& small = weights_.small[level];
      if (small.cell.units == 0) continue;
      skim.small[level] = {&small.cell, nullptr, nullptr, small.offset};
      if (weights_.spec.small_sees != SmallSees::all) continue;
      skim.small[level].tail = &small.tail;
      skim.small[level].tail_sum = tail_sum;
      tail_sum += small.cell.init.size();
    }
    add_limits(policy, block.count, state, memory.limits, skim);
  }

  void add_limits(const Policy& policy, std::size_t count, const State& state, float* limits,
                  SkimArgs& skim) const noexcept {
    const bool two = skim.levels == 2;
    skim.limits = limits;
    skim.limit_stride = 0;
    if (policy.rule == Policy::Rule::sample) {
      skim.limit_stride = 1;
      for (std::size_t t = 0; t < count; ++t) {
        const float share = draw(policy.seed, state.stream, state.position + t);
        limits[t] = two ? logit_of(share) : share;
      }
      return;
    }
    skim.argmax = policy.rule == Policy::Rule::argmax;
    const float threshold = skim.argmax ? 0.5F : policy.read_above;
    limits[0] = two ? logit_of(threshold) : threshold;
  }

  void direct_rows(const Block& block, const Output& output, SequenceArgs& args) const {
    args.log = output.log;
    if (output.rows.data == nullptr) return;
    const auto stride = static_cast<std::ptrdiff_t>(output.rows.stride);
    args.rows = output.rows.row(block.index(0));
    args.row_stride = block.input.backward ? -stride : stride;
  }

  // Steps of a block in the order of the text. "p_read > read_above" must say what was done: where
  // rounding in the last bit would have it otherwise, p_read gives way.
  std::size_t write_steps(const Block& block, const Policy& policy, const Memory& memory,
                          std::span<Step> steps) const noexcept {
    const bool two = weights_.spec.levels() == 2;
    if (two) logits_to_probabilities(memory.certainty, block.count);
    const float threshold = policy.rule == Policy::Rule::argmax ? 0.5F : policy.read_above;
    const bool agree = two && policy.rule != Policy::Rule::sample;
    const float least_read = agree ? std::nextafter(threshold, 2.0F) : 0.0F;
    const float most_skimmed = agree ? threshold : 1.0F;
    std::size_t total = 0;
    for (std::size_t t = 0; t < block.count; ++t) {
      const std::uint16_t width = memory.widths[t];
      const bool read = width == weights_.spec.hidden;
      const float p = weights_.skims() ? memory.certainty[t] : 1.0F;
      steps[block.index(t)] = {width, read ? std::max(p, least_read) : std::min(p, most_skimmed)};
      total += width;
    }
    return total;
  }

  ReaderWeights weights_;
  const WordSource* words_;
  std::optional<WordTable> small_table_;
  std::optional<WordTable> big_table_;
};

}  // namespace

std::unique_ptr<Reader> make_recurrent_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const WordSource* words,
                                              std::size_t table_bytes) {
  return std::make_unique<RecurrentReader>(spec, tensors, weights, words, table_bytes);
}

}  // namespace skim

#include "readers/recurrent.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/pool.h"
#include "readers/factories.h"
#include "readers/gathered_reader.h"
#include "readers/thresholds.h"

namespace skim {
namespace {

// Padding of the state for loads of whole vectors on every target, here and in kernels/pool.h.
constexpr std::size_t kStatePadding = kPoolPadding;

}  // namespace

RecurrentReader::RecurrentReader(const ReaderSpec& spec, const Tensors& tensors, WeightType type,
                                 const EmbeddingTable* embeddings, std::size_t table_bytes)
    : weights_(pack_reader(spec, tensors, type)), embeddings_(embeddings) {
  if (embeddings == nullptr) return;
  if (weights_.skims()) {
    small_table_.emplace(weights_.small_projection, *embeddings, table_bytes);
    table_bytes -= small_table_->bytes();
  }
  big_table_.emplace(
      weights_.big_projection, *embeddings, table_bytes,
      type == WeightType::int8 ? FoldedTable::RowFormat::compact : FoldedTable::RowFormat::floats);
}

void RecurrentReader::start(State& state) const {
  state.hidden.grow(state_floats());
  state.hidden.clear();
  if (weights_.spec.cell == Cell::lstm) {
    state.cell.grow(state_floats());
    state.cell.clear();
  }
  state.position = 0;
  state.weight_scan_direction = 0;
}

void RecurrentReader::read(const Input& input, const Policy& policy, State& state,
                           const Output& output, std::span<Step> steps, Scratch& scratch) const {
  const std::size_t count = input.count();
  Memory memory = allocate(scratch);
  if (reads_ids(input)) prepare(input, policy, memory);
  Output remaining_output = output;
  const std::size_t block_rows = input.ids.empty() ? kProjectedRows : kBlockRows;
  for (std::size_t first = 0; first < count; first += block_rows) {
    const Block block{input, first, std::min(block_rows, count - first)};
    GateSource source = gate_source(block, memory);
    finish_block(
        sequence_forward(block_args(block, policy, state, remaining_output, memory, source)),
        state);
    const std::size_t width = write_steps(block, policy, memory, steps);
    if (remaining_output.log != nullptr) remaining_output.log += width;
    state.position += block.count;
  }
}

std::unique_ptr<GatheredReader> RecurrentReader::gather() const {
  return GatheredReader::create(*this);
}

void RecurrentReader::prepare(const Input& input, const Policy& policy,
                              const Memory& memory) const noexcept {
  prepare_rows(small_table_ ? &*small_table_ : nullptr, *big_table_, input.ids,
               likely_read_logit(policy), memory.block);
}

// Input part of the decision logit above which a new word is likely to be read. The state adds to
// it later; the dot decision has no such part.
float RecurrentReader::likely_read_logit(const Policy& policy) const noexcept {
  constexpr float kMargin = 1;
  if (weights_.spec.decision == Decision::dot) return std::numeric_limits<float>::infinity();
  const bool fixed = weights_.spec.levels() == 2 && policy.rule == Policy::Rule::threshold;
  return (fixed ? logit(policy.threshold) : 0.0F) - kMargin;
}

bool RecurrentReader::can_gather() const { return GatheredReader::supports(*this); }

std::size_t RecurrentReader::state_floats() const { return weights_.padded + kStatePadding; }

std::size_t RecurrentReader::suffix_floats() const {
  std::size_t floats = 0;
  for (const SmallWeights& small : weights_.small) floats += small.cell.init.size();
  return floats;
}

RecurrentReader::Memory RecurrentReader::allocate(Scratch& scratch) const {
  const bool dot = weights_.skims() && weights_.spec.decision == Decision::dot;
  const std::size_t small = weights_.skims() ? kBlockRows * small_stride(weights_) : 0;
  const std::size_t big = has_tables() ? round_up(big_table_->buffer_floats(), 16)
                                       : big_stride(weights_) * (kProjectedRows + 1);
  const std::size_t embedding = round_up(static_cast<std::size_t>(weights_.spec.input_size), 16);
  const std::size_t embeddings = embedding * (dot ? kBlockRows : FoldedTable::kFillRows);
  static_assert(FoldedTable::kFillRows <= kBlockRows);
  const std::size_t gathered = embeddings_ == nullptr ? kProjectedRows * embedding : 0;
  const std::size_t state = round_up(state_floats(), 16);
  const std::size_t suffixes = round_up(suffix_floats(), 16);
  const std::size_t sums = round_up(weights_.big.matrix.rows, 16);
  scratch.floats.grow(small + big + gathered + embeddings + state + suffixes + sums +
                      2 * kBlockRows);
  scratch.pointers.grow(2 * kBlockRows);
  scratch.bytes.grow((state + kBlockRows) * sizeof(std::int16_t) + kProjectedRows);
  Memory memory;
  float* floats = scratch.floats.data();
  const auto allocate_floats = [&floats](std::size_t size) {
    return std::exchange(floats, floats + size);
  };
  memory.block.small_buffer = allocate_floats(small);
  memory.block.big_buffer = allocate_floats(big);
  memory.block.gathered = allocate_floats(gathered);
  memory.block.embeddings = allocate_floats(embeddings);
  memory.next = allocate_floats(state);
  memory.suffix_sums = allocate_floats(suffixes);
  memory.gate_sums = allocate_floats(sums);
  memory.thresholds = allocate_floats(kBlockRows);
  memory.read_logit = allocate_floats(kBlockRows);
  memory.block.small_rows = scratch.pointers.data();
  memory.block.inputs = scratch.pointers.data() + kBlockRows;
  memory.widths = reinterpret_cast<std::uint16_t*>(scratch.bytes.data());
  memory.quantized_hidden = reinterpret_cast<std::int16_t*>(memory.widths + kBlockRows);
  memory.block.slots = reinterpret_cast<std::uint8_t*>(memory.quantized_hidden + state);
  return memory;
}

GateSource RecurrentReader::gate_source(const Block& block, const Memory& memory) const {
  const bool from_ids = reads_ids(block.input);
  return {&weights_, from_ids ? &*big_table_ : nullptr, &block, &memory.block};
}

SequenceArgs RecurrentReader::block_args(const Block& block, const Policy& policy, State& state,
                                         const Output& output, const Memory& memory,
                                         GateSource& source) const noexcept {
  const bool from_ids = source.table != nullptr;
  SequenceArgs args;
  args.count = block.count;
  args.cell = weights_.spec.cell;
  args.big = &weights_.big;
  args.big_row = from_ids ? big_gates_of_token : big_gates_of_row;
  if (from_ids) args.big_prefetch = big_gates_address;
  args.compact_rows = from_ids && big_table_->is_compact();
  args.context = &source;
  args.big_stride = weights_.padded;
  args.hidden = state.hidden.data();
  args.next = memory.next;
  args.cell_state = state.cell.data();
  args.quantized_hidden = memory.quantized_hidden;
  args.gate_sums = memory.gate_sums;
  args.weight_scan_direction = state.weight_scan_direction;
  if (weights_.skims()) set_skim_args(block, policy, state, memory, from_ids, args.skim);
  if (!from_ids)
    project_speculatively(weights_, block, state.hidden.data(), args.skim, memory.block);
  args.widths = memory.widths;
  args.read_logit = memory.read_logit;
  set_outputs(block, output, args);
  std::memset(memory.next, 0, state_floats() * sizeof(float));
  return args;
}

void RecurrentReader::finish_block(const SequenceResult& end, State& state) const noexcept {
  if (end.hidden != state.hidden.data())
    std::memcpy(state.hidden.data(), end.hidden, state_floats() * sizeof(float));
  state.weight_scan_direction = end.weight_scan_direction;
}

void RecurrentReader::set_skim_args(const Block& block, const Policy& policy, const State& state,
                                    const Memory& memory, bool from_ids,
                                    SkimArgs& skim) const noexcept {
  if (from_ids) {
    lookup_small_rows(weights_, *small_table_, *embeddings_, block, memory.block);
    for (std::size_t t = 0; t < block.count; ++t)
      big_table_->prefetch_slot(block.input.ids[block.index(t)]);
  } else {
    project_decisions(weights_, block, memory.block);
    if (weights_.has_small_gates()) skim.small_row = small_gates_of_row;
  }
  skim.levels = static_cast<std::size_t>(weights_.spec.levels());
  skim.decision = &weights_.decision;
  skim.rows = memory.block.small_rows;
  skim.inputs = memory.block.inputs;
  float* suffix_sum = memory.suffix_sums;
  for (std::size_t level = 0; level < weights_.small.size(); ++level) {
    const SmallWeights& small = weights_.small[level];
    if (small.cell.units == 0) continue;
    skim.small[level] = {&small.cell, nullptr, nullptr, small.offset};
    if (weights_.spec.small_input != SmallInput::full) continue;
    skim.small[level].suffix = &small.suffix;
    skim.small[level].suffix_sum = suffix_sum;
    suffix_sum += small.cell.init.size();
  }
  set_thresholds(policy, block.count, state, memory.thresholds, skim);
}

void RecurrentReader::set_thresholds(const Policy& policy, std::size_t count, const State& state,
                                     float* thresholds, SkimArgs& skim) const noexcept {
  const bool binary = skim.levels == 2;
  skim.thresholds = thresholds;
  skim.threshold_stride = 0;
  if (policy.rule == Policy::Rule::sample) {
    skim.threshold_stride = 1;
    for (std::size_t t = 0; t < count; ++t) {
      const float sample = uniform(policy.seed, state.stream, state.position + t);
      thresholds[t] = binary ? logit(sample) : sample;
    }
    return;
  }
  skim.argmax = policy.rule == Policy::Rule::argmax;
  const float threshold = skim.argmax ? 0.5F : policy.threshold;
  thresholds[0] = binary ? logit(threshold) : threshold;
}

void RecurrentReader::set_outputs(const Block& block, const Output& output,
                                  SequenceArgs& args) const {
  args.log = output.log;
  if (output.rows.data == nullptr) return;
  const auto stride = static_cast<std::ptrdiff_t>(output.rows.stride);
  args.rows = output.rows.row(block.index(0));
  args.row_stride = block.input.backward ? -stride : stride;
}

std::size_t RecurrentReader::write_steps(const Block& block, const Policy& policy,
                                         const Memory& memory,
                                         std::span<Step> steps) const noexcept {
  const bool binary = weights_.spec.levels() == 2;
  if (binary) logits_to_probabilities(memory.read_logit, block.count);
  const float threshold = policy.rule == Policy::Rule::argmax ? 0.5F : policy.threshold;
  const bool consistent = binary && policy.rule != Policy::Rule::sample;
  const float min_read_prob = consistent ? std::nextafter(threshold, 2.0F) : 0.0F;
  const float max_skim_prob = consistent ? threshold : 1.0F;
  std::size_t total = 0;
  for (std::size_t t = 0; t < block.count; ++t) {
    const std::uint16_t width = memory.widths[t];
    const bool read = width == weights_.spec.hidden_size;
    const float p = weights_.skims() ? memory.read_logit[t] : 1.0F;
    steps[block.index(t)] = {width, read ? std::max(p, min_read_prob) : std::min(p, max_skim_prob)};
    total += width;
  }
  return total;
}

std::unique_ptr<Reader> make_recurrent_reader(const ReaderSpec& spec, const Tensors& tensors,
                                              WeightType weights, const EmbeddingTable* embeddings,
                                              std::size_t table_bytes) {
  return std::make_unique<RecurrentReader>(spec, tensors, weights, embeddings, table_bytes);
}

}  // namespace skim

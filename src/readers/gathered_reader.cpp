#include "readers/gathered_reader.h"

#include <algorithm>

namespace skim {
namespace {

// The arguments that do not change from block to block, as far as supports_gathering needs them.
SequenceArgs constant_args(const ReaderWeights& weights) {
  SequenceArgs args;
  args.cell = weights.spec.cell;
  args.big = &weights.big;
  if (!weights.skims()) return args;
  args.skim.levels = static_cast<std::size_t>(weights.spec.levels());
  args.skim.decision = &weights.decision;
  if (weights.small.front().cell.units != 0) args.skim.small[0].cell = &weights.small.front().cell;
  return args;
}

}  // namespace

bool GatheredReader::supports(const RecurrentReader& reader) {
  return reader.has_tables() && supports_gathering(constant_args(reader.weights()));
}

std::unique_ptr<GatheredReader> GatheredReader::create(const RecurrentReader& reader) {
  if (!supports(reader)) return nullptr;
  return std::unique_ptr<GatheredReader>(new GatheredReader(reader));
}

GatheredReader::GatheredReader(const RecurrentReader& reader) : reader_(reader) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_[i]->memory = reader.allocate(slots_[i]->scratch);
    slots_[i]->sequence.slot = static_cast<std::uint32_t>(i);
  }
}

void GatheredReader::read(TextSource& source) {
  skimming_.size = waiting_[0].size = waiting_[1].size = 0;
  for (const auto& slot : slots_) {
    slot->block.reset();
    slot->sequence.need = Need::end;
    file(slot->sequence, source);
  }
  for (;;) {
    const std::size_t waiting = std::max(waiting_[0].size, waiting_[1].size);
    if (waiting == 0 && skimming_.size == 0) return;
    if (waiting >= kMaxGathered || skimming_.size == 0) read_longest_queue(source);
    // Also when many texts still wait: with other thresholds than theirs, a text that skims would
    // be left behind.
    if (skimming_.size > 0) skim(source);
  }
}

bool GatheredReader::start_chunk(Slot& slot, TextSource& source) {
  if (!source.next(slot.sequence.slot, slot.chunk)) return false;
  slot.input = {};
  slot.input.ids = slot.chunk.ids;
  slot.input.composed = slot.chunk.composed;
  reader_.prepare(slot.input, slot.chunk.policy, slot.memory);
  slot.block.emplace(Block{slot.input, 0, std::min(kBlockRows, slot.chunk.ids.size())});
  return true;
}

bool GatheredReader::start_block(Slot& slot, TextSource& source) {
  const std::size_t done = slot.block ? slot.block->first + slot.block->count : 0;
  if (slot.block && done < slot.chunk.ids.size()) {
    slot.block.emplace(Block{slot.input, done, std::min(kBlockRows, slot.chunk.ids.size() - done)});
  } else if (!start_chunk(slot, source)) {
    slot.block.reset();
    return false;
  }
  slot.source = reader_.gate_source(*slot.block, slot.memory);
  Output output;
  output.log = slot.chunk.log;
  slot.sequence.args = reader_.block_args(*slot.block, slot.chunk.policy, *slot.chunk.state, output,
                                          slot.memory, slot.source);
  begin_block(slot.sequence);
  return true;
}

void GatheredReader::finish_block(Slot& slot) {
  const GatheredSequence& sequence = slot.sequence;
  reader_.finish_block({sequence.hidden, sequence.weight_scan_direction}, *slot.chunk.state);
  reader_.write_steps(*slot.block, slot.chunk.policy, slot.memory, slot.chunk.steps);
  slot.chunk.log = sequence.log;
  slot.chunk.state->position += slot.block->count;
}

void GatheredReader::file(GatheredSequence& sequence, TextSource& source) {
  while (sequence.need == Need::end) {
    Slot& slot = *slots_[sequence.slot];
    if (slot.block) finish_block(slot);
    if (!start_block(slot, source)) return;
  }
  if (sequence.need == Need::read)
    await_read(sequence);
  else
    skimming_.push(sequence);
}

// The row of the step is fetched while other texts skim.
void GatheredReader::await_read(GatheredSequence& sequence) {
  SequenceArgs& args = sequence.args;
  const bool by_direction = depends_on_scan_direction(args.big->matrix.type);
  sequence.x = args.big_row(args.context, sequence.position);
  prefetch_input(sequence);
  waiting_[by_direction ? sequence.weight_scan_direction & 1U : 0].push(sequence);
}

void GatheredReader::skim(TextSource& source) {
  const std::size_t waiting = std::max(waiting_[0].size, waiting_[1].size);
  const std::size_t skimming = skimming_.size;
  const std::size_t wanted = kMaxGathered > waiting ? kMaxGathered - waiting : 1;
  const std::size_t active = skim_ahead(skimming_.items.data(), skimming, wanted);
  std::array<GatheredSequence*, kSlots> stopped{};
  std::copy(skimming_.items.begin() + static_cast<std::ptrdiff_t>(active),
            skimming_.items.begin() + static_cast<std::ptrdiff_t>(skimming), stopped.begin());
  skimming_.size = active;
  for (std::size_t i = 0; i < skimming - active; ++i) file(*stopped[i], source);
}

void GatheredReader::read_longest_queue(TextSource& source) {
  Queue& queue = waiting_[waiting_[1].size > waiting_[0].size ? 1 : 0];
  const std::size_t count = std::min(queue.size, kMaxGathered);
  std::array<GatheredSequence*, kSlots> moved{};
  std::copy_n(queue.items.begin(), count, moved.begin());
  queue.drop_first(count);
  read_together(moved.data(), count);
  for (std::size_t i = 0; i < count; ++i) file(*moved[i], source);
}

void GatheredReader::Queue::drop_first(std::size_t count) {
  std::copy(items.begin() + static_cast<std::ptrdiff_t>(count),
            items.begin() + static_cast<std::ptrdiff_t>(size), items.begin());
  size -= count;
}

}  // namespace skim

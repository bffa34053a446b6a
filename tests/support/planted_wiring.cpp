#include "tests/support/planted_wiring.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "spec/params.h"

namespace skim {
namespace {

constexpr float kOpen = 12.0F;  // a gate this far from 0 is open or shut to 1e-5

// Rows of one cell's matrices, gate by gate.
struct CellRows {
  DraftTensors& tensors;
  std::string w, u, b, bn;
  std::size_t width;

  CellRows(DraftTensors& all, const std::string& cell, std::size_t units)
      : tensors(all),
        w(cell + ".w"),
        u(cell + ".u"),
        b(cell + ".b"),
        bn(cell + ".bn"),
        width(units) {}

  float& input(std::size_t gate, std::size_t unit, std::size_t column) const {
    return tensors.at(w, gate * width + unit, column);
  }
  float& hidden(std::size_t gate, std::size_t unit, std::size_t column) const {
    return tensors.at(u, gate * width + unit, column);
  }
  float& bias(std::size_t gate, std::size_t unit) const {
    return tensors.at(b, gate * width + unit);
  }
};

// Where a kind of evidence shows in a word, and whether a negator must stand before it.
struct Kind {
  std::size_t flag, strength;
  bool negated;
};
constexpr Kind kKinds[kEvidence] = {
    {WordFeature::positive, WordFeature::positive_strength, false},
    {WordFeature::negative, WordFeature::negative_strength, true},
    {WordFeature::negative, WordFeature::negative_strength, false},
    {WordFeature::positive, WordFeature::positive_strength, true},
};

// A gate's sum: far below zero without the evidence, `mild` and `strong` with it.
struct Levels {
  float none, mild, strong;
};

void gate_by_evidence(const CellRows& cell, std::size_t gate, std::size_t unit, const Kind& kind,
                      Levels levels, float sign, const Units& units, float negated_value) {
  const float slope = 2 * (levels.strong - levels.mild);  // strengths are 0.5 and 1
  const float turn = levels.none * 1.5F / negated_value;
  cell.bias(gate, unit) = sign * (levels.none + (kind.negated ? levels.none * 1.5F : 0.0F));
  cell.input(gate, unit, kind.strength) = sign * slope;
  cell.input(gate, unit, kind.flag) = sign * (levels.strong - levels.none - slope);
  cell.hidden(gate, unit, units.negated) = sign * (kind.negated ? -turn : turn);
}

// LSTM gates i, f, g, o.
void wire_lstm_words(const CellRows& cell, const Units& units) {
  const Levels gate{-12, 0, 4};
  const float negated_value = signal_value(Cell::lstm);
  const auto place = [&](std::size_t unit, float keep, float step, std::size_t kind) {
    gate_by_evidence(cell, 0, unit, kKinds[kind], gate, 1, units, negated_value);
    cell.bias(1, unit) = keep;
    cell.bias(2, unit) = step;
    cell.bias(3, unit) = kOpen;
  };
  for (std::size_t kind = 0; kind < kEvidence; ++kind) {
    place(units.counter + kind, kOpen, 0.01F, kind);
    if (units.pulses) place(units.pulse + kind, -kOpen, 0.25F, kind);
  }
  const std::size_t no = units.negated;
  cell.bias(0, no) = -kOpen;
  cell.input(0, no, WordFeature::negator) = 2 * kOpen;
  cell.bias(1, no) = kOpen;
  for (const std::size_t resets :
       {WordFeature::positive, WordFeature::negative, WordFeature::negator}) {
    cell.input(1, no, resets) = -2 * kOpen;
  }
  cell.bias(2, no) = 3;
  cell.bias(3, no) = kOpen;
}

// GRU gates r, z, n. A counter goes a hundredth of its way to 1.
void wire_gru_words(const CellRows& cell, const Units& units) {
  const float negated_value = signal_value(Cell::gru);
  for (std::size_t kind = 0; kind < kEvidence; ++kind) {
    const std::size_t counter = units.counter + kind;
    gate_by_evidence(cell, 1, counter, kKinds[kind], {-15, -5.3F, -4.6F}, -1, units, negated_value);
    cell.bias(2, counter) = 5;
    if (!units.pulses) continue;
    const std::size_t pulse = units.pulse + kind;
    gate_by_evidence(cell, 0, pulse, kKinds[kind], {-12, 0, 4}, 1, units, negated_value);
    cell.bias(1, pulse) = -kOpen;
    cell.tensors.at(cell.bn, pulse) = 0.25F;
  }
  cell.bias(1, units.negated) = kOpen;
  for (const std::size_t resets :
       {WordFeature::positive, WordFeature::negative, WordFeature::negator}) {
    cell.input(1, units.negated, resets) = -2 * kOpen;
  }
  cell.input(2, units.negated, WordFeature::negator) = 3;
}

// A tanh RNN has no gates: it adds up strengths while tanh is still straight.
void wire_rnn_words(const CellRows& cell, const Units& units) {
  for (const std::size_t kind : {kPositiveEvidence[0], kNegativeEvidence[0]}) {
    const std::size_t strength = kKinds[kind].strength;
    cell.hidden(0, units.counter + kind, units.counter + kind) = 1;
    cell.input(0, units.counter + kind, strength) = 0.01F;
    if (units.pulses) cell.input(0, units.pulse + kind, strength) = 0.25F;
  }
}

// An upper layer reads the pulses of the forward reader below, in which negators are settled.
void wire_rows(const CellRows& cell, const Units& units, Cell kind) {
  const float signal = signal_value(kind);
  const auto add_evidence = [&](std::size_t gate, std::size_t unit, std::size_t first, float size) {
    cell.input(gate, unit, units.pulse + first) = size;
    cell.input(gate, unit, units.pulse + first + 1) = size;
  };
  for (const std::size_t first : {kPositiveEvidence[0], kNegativeEvidence[0]}) {
    const std::size_t counter = units.counter + first;
    const std::size_t pulse = units.pulse + first;
    if (kind == Cell::lstm) {
      for (const std::size_t unit : {counter, pulse}) {
        cell.bias(0, unit) = -kOpen;
        cell.input(0, unit, units.signal) = 2 * kOpen / signal;
        cell.bias(1, unit) = unit == counter ? kOpen : -kOpen;
        cell.bias(3, unit) = kOpen;
        add_evidence(2, unit, first, unit == counter ? 0.04F : 1.0F);
      }
    } else if (kind == Cell::gru) {
      cell.bias(1, counter) = 15;
      cell.input(1, counter, units.signal) = -10.4F / signal;
      cell.bias(1, pulse) = -kOpen;
      add_evidence(2, counter, first, 1.0F);
      add_evidence(2, pulse, first, 1.0F);
    } else {
      cell.hidden(0, counter, counter) = 1;
      add_evidence(0, counter, first, 0.04F);
      add_evidence(0, pulse, first, 1.0F);
    }
  }
}

// The unit that shows whether the word has evidence: positive and negative words, or the same unit
// of the layer below.
void wire_signal(const CellRows& cell, const Units& units, Cell kind, bool reads_words) {
  const std::size_t unit = units.signal;
  const std::size_t gate = kind == Cell::rnn ? 0 : 2;
  if (kind == Cell::lstm) {
    cell.bias(0, unit) = kOpen;
    cell.bias(1, unit) = -kOpen;
    cell.bias(3, unit) = kOpen;
  } else if (kind == Cell::gru) {
    cell.bias(1, unit) = -kOpen;
  }
  if (reads_words) {
    cell.input(gate, unit, WordFeature::positive) = 3;
    cell.input(gate, unit, WordFeature::negative) = 3;
  } else {
    cell.input(gate, unit, units.signal) = 3 / signal_value(kind);
  }
}

// Small enough to leave the states of these units tame.
void add_noise(const CellRows& cell, Cell kind, const Units& units, Random& random) {
  for (std::size_t row = 0; row < cell.tensors.rows(cell.w); ++row) {
    if (!units.is_noise(row % cell.width)) continue;
    cell.tensors.noise(cell.w, row, 0.3F, random);
    cell.tensors.noise(cell.u, row, 0.1F, random);
    const bool forget = kind == Cell::lstm && row / cell.width == 1;
    cell.tensors.at(cell.b, row) = forget ? 1.0F : random.within(0.1F);
  }
}

// The pulses fall to zero when a word is skimmed: no gate lets anything in.
void clear_pulses(const CellRows& cell, Cell kind, const Units& units) {
  for (std::size_t unit = units.pulse; unit <= units.signal; ++unit) {
    if (kind != Cell::rnn) cell.bias(1, unit) = -kOpen;
  }
}

void wire_decision(DraftTensors& tensors, const std::string& prefix, const ReaderSpec& reader,
                   const Units& units, bool reads_words, Random& random) {
  const std::string w = prefix + "decision.w";
  const std::string u = prefix + "decision.u";
  const std::string b = prefix + "decision.b";
  const float signal = signal_value(reader.cell);
  for (std::size_t level = 0; level < tensors.rows(u); ++level) {
    tensors.noise(u, level, 0.01F, random);
    if (tensors.has(prefix + "decision.c")) {
      tensors.noise(prefix + "decision.c", level, 0.01F, random);
    }
    if (level == 0) continue;
    // A skipped word would not clear the pulses.
    if (units.pulses && reader.width(static_cast<int>(level)) <= static_cast<int>(units.signal)) {
      tensors.at(u, level, units.signal) = -8 / signal;
    }
    if (level == 1) continue;
    tensors.at(b, level) = level == 2 ? -2 : -4;
    if (reads_words && level == 2) tensors.at(w, level, WordFeature::minor) = 4;
  }
  if (reads_words) {
    tensors.at(w, 0, WordFeature::salience) = 1 / kSalienceUnit;
    // The smaller levels share what is not read: 2 is the larger of them for minor words.
    if (reader.levels() > 2) tensors.at(w, 0, WordFeature::minor) = 2.1F;
  } else {
    tensors.at(w, 0, units.signal) = 8 / signal;
    tensors.at(b, 0) = -4;
  }
}

}  // namespace

Units::Units(const ReaderSpec& spec) {
  const bool full = spec.kind == ReaderKind::full;
  pulses = full || spec.small.front() > 0;
  const std::size_t head = full ? 0 : static_cast<std::size_t>(spec.small.front());
  counter = pulses ? std::max(head, signal + 1) : 0;
  negated = counter + kEvidence;
  end = negated + 1;
}

bool Units::is_noise(std::size_t unit) const {
  const bool in_head = pulses && unit <= signal;
  return !in_head && (unit < counter || unit >= end);
}

float counter_unit(const ModelSpec& spec) {
  return spec.reader.cell == Cell::gru && spec.layers > 1 ? 0.0024F : 0.01F;
}

float signal_value(Cell cell) {
  const float one = std::tanh(3.0F);
  return cell == Cell::lstm ? std::tanh(one) : one;
}

void wire_reader(DraftTensors& tensors, const ModelSpec& spec, int layer, bool backward,
                 std::uint64_t seed) {
  const ReaderSpec reader = spec.reader_of(layer);
  const std::string prefix = reader_prefix(layer, backward);
  const Units units(reader);
  const bool reads_words = layer == 0;
  Random random(seed, 16 + 2 * static_cast<std::uint64_t>(layer) + (backward ? 1 : 0));

  const CellRows big(tensors, prefix + "big", static_cast<std::size_t>(reader.hidden));
  add_noise(big, reader.cell, units, random);
  if (!reads_words) {
    wire_rows(big, units, reader.cell);
  } else if (reader.cell == Cell::lstm) {
    wire_lstm_words(big, units);
  } else if (reader.cell == Cell::gru) {
    wire_gru_words(big, units);
  } else {
    wire_rnn_words(big, units);
  }
  if (units.pulses) wire_signal(big, units, reader.cell, reads_words);
  if (reader.kind == ReaderKind::full) return;
  for (int level = 1; level < reader.levels(); ++level) {
    const auto width = static_cast<std::size_t>(reader.width(level));
    if (width == 0) continue;
    const CellRows small(tensors, prefix + "small." + std::to_string(level), width);
    add_noise(small, reader.cell, units, random);
    clear_pulses(small, reader.cell, units);
  }
  wire_decision(tensors, prefix, reader, units, reads_words, random);
}

}  // namespace skim

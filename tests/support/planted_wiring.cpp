#include "tests/support/planted_wiring.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "spec/params.h"

namespace skim {
namespace {

constexpr float kOpen =
    12.0F;  // pre-activation of an open gate; its negative closes it, both to 1e-5

// Access to the weights of one cell by gate and unit.
struct CellRows {
  DraftTensors& tensors;
  std::string prefix;
  std::size_t width;
  Cell kind;
  const Units& units;

  std::string weight_ih() const { return prefix + ".weight_ih"; }
  std::string weight_hh() const { return prefix + ".weight_hh"; }
  std::string bias_name() const { return prefix + ".bias"; }
  float& input(std::size_t gate, std::size_t unit, std::size_t column) const {
    return tensors.at(weight_ih(), gate * width + unit, column);
  }
  float& hidden(std::size_t gate, std::size_t unit, std::size_t column) const {
    return tensors.at(weight_hh(), gate * width + unit, column);
  }
  float& bias(std::size_t gate, std::size_t unit) const {
    return tensors.at(bias_name(), gate * width + unit);
  }
};

// The word features of a kind of evidence, and whether it requires a preceding negator.
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

// Pre-activation of a gate without evidence and with mild and strong evidence.
struct Levels {
  float none, mild, strong;
};

// Sets the weights of one gate of one unit.
void set_evidence_gate(const CellRows& cell, std::size_t gate, std::size_t unit, const Kind& kind,
                       Levels levels) {
  const float slope = 2 * (levels.strong - levels.mild);  // strengths are 0.5 and 1
  const float negation_shift = levels.none * 1.5F;        // effect of a negator
  cell.bias(gate, unit) = levels.none + (kind.negated ? negation_shift : 0.0F);
  cell.input(gate, unit, kind.strength) = slope;
  cell.input(gate, unit, kind.flag) = levels.strong - levels.none - slope;
  cell.hidden(gate, unit, cell.units.negated) =
      (kind.negated ? -negation_shift : negation_shift) / signal_value(cell.kind);
}

// LSTM gates i, f, g, o.
void wire_lstm_words(const CellRows& cell) {
  const Units& units = cell.units;
  const Levels gate{-12, 0, 4};
  const auto wire_unit = [&](std::size_t unit, float keep, float step, std::size_t kind) {
    set_evidence_gate(cell, 0, unit, kKinds[kind], gate);
    cell.bias(1, unit) = keep;
    cell.bias(2, unit) = step;
    cell.bias(3, unit) = kOpen;
  };
  for (std::size_t kind = 0; kind < kEvidence; ++kind) {
    wire_unit(units.counter + kind, kOpen, 0.01F, kind);
    if (units.pulses) wire_unit(units.pulse + kind, -kOpen, 0.25F, kind);
  }
  const std::size_t negated = units.negated;
  cell.bias(0, negated) = -kOpen;
  cell.input(0, negated, WordFeature::negator) = 2 * kOpen;
  cell.bias(1, negated) = kOpen;
  for (const std::size_t reset :
       {WordFeature::positive, WordFeature::negative, WordFeature::negator}) {
    cell.input(1, negated, reset) = -2 * kOpen;
  }
  cell.bias(2, negated) = 3;
  cell.bias(3, negated) = kOpen;
}

// GRU gates r, z, n. A counter moves one hundredth of the distance to 1.
void wire_gru_words(const CellRows& cell) {
  const Units& units = cell.units;
  for (std::size_t kind = 0; kind < kEvidence; ++kind) {
    const std::size_t counter = units.counter + kind;
    set_evidence_gate(cell, 1, counter, kKinds[kind], {15, 5.3F, 4.6F});
    cell.bias(2, counter) = 5;
    if (!units.pulses) continue;
    const std::size_t pulse = units.pulse + kind;
    set_evidence_gate(cell, 0, pulse, kKinds[kind], {-12, 0, 4});
    cell.bias(1, pulse) = -kOpen;
    cell.tensors.at(cell.prefix + ".bias_hn", pulse) = 0.25F;
  }
  cell.bias(1, units.negated) = kOpen;
  for (const std::size_t reset :
       {WordFeature::positive, WordFeature::negative, WordFeature::negator}) {
    cell.input(1, units.negated, reset) = -2 * kOpen;
  }
  cell.input(2, units.negated, WordFeature::negator) = 3;
}

// A tanh RNN has no gates: it sums strengths in the linear range of tanh.
void wire_rnn_words(const CellRows& cell) {
  const Units& units = cell.units;
  for (const std::size_t kind : {kPositiveEvidence[0], kNegativeEvidence[0]}) {
    const std::size_t strength = kKinds[kind].strength;
    cell.hidden(0, units.counter + kind, units.counter + kind) = 1;
    cell.input(0, units.counter + kind, strength) = 0.01F;
    if (units.pulses) cell.input(0, units.pulse + kind, strength) = 0.25F;
  }
}

// Wires an upper layer, which reads the pulses of the forward reader below, where negation is
// resolved.
void wire_rows(const CellRows& cell) {
  const Units& units = cell.units;
  const float signal = signal_value(cell.kind);
  const auto add_evidence = [&](std::size_t gate, std::size_t unit, std::size_t first, float size) {
    cell.input(gate, unit, units.pulse + first) = size;
    cell.input(gate, unit, units.pulse + first + 1) = size;
  };
  for (const std::size_t first : {kPositiveEvidence[0], kNegativeEvidence[0]}) {
    const std::size_t counter = units.counter + first;
    const std::size_t pulse = units.pulse + first;
    if (cell.kind == Cell::lstm) {
      for (const std::size_t unit : {counter, pulse}) {
        cell.bias(0, unit) = -kOpen;
        cell.input(0, unit, units.signal) = 2 * kOpen / signal;
        cell.bias(1, unit) = unit == counter ? kOpen : -kOpen;
        cell.bias(3, unit) = kOpen;
        add_evidence(2, unit, first, unit == counter ? 0.04F : 1.0F);
      }
    } else if (cell.kind == Cell::gru) {
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

// Wires the unit that signals evidence: from positive and negative words, or from the same unit of
// the layer below.
void wire_signal(const CellRows& cell, bool reads_embeddings) {
  const std::size_t unit = cell.units.signal;
  const std::size_t gate = cell.kind == Cell::rnn ? 0 : 2;
  if (cell.kind == Cell::lstm) {
    cell.bias(0, unit) = kOpen;
    cell.bias(1, unit) = -kOpen;
    cell.bias(3, unit) = kOpen;
  } else if (cell.kind == Cell::gru) {
    cell.bias(1, unit) = -kOpen;
  }
  if (reads_embeddings) {
    cell.input(gate, unit, WordFeature::positive) = 3;
    cell.input(gate, unit, WordFeature::negative) = 3;
  } else {
    cell.input(gate, unit, unit) = 3 / signal_value(cell.kind);
  }
}

// Random weights for the unused units, small enough to keep their states bounded.
void add_noise(const CellRows& cell, Random& random) {
  for (std::size_t row = 0; row < cell.tensors.rows(cell.weight_ih()); ++row) {
    if (!cell.units.is_noise(row % cell.width)) continue;
    cell.tensors.noise(cell.weight_ih(), row, 0.3F, random);
    cell.tensors.noise(cell.weight_hh(), row, 0.1F, random);
    const bool forget = cell.kind == Cell::lstm && row / cell.width == 1;
    cell.tensors.at(cell.bias_name(), row) = forget ? 1.0F : random.uniform_within(0.1F);
  }
}

// Closes the gates of a small cell, so that a skimmed word clears the pulses.
void clear_pulses(const CellRows& cell) {
  if (cell.kind == Cell::rnn) return;
  for (std::size_t unit = cell.units.pulse; unit <= cell.units.signal; ++unit) {
    cell.bias(1, unit) = -kOpen;
  }
}

// One reader of the model.
class ReaderWiring {
 public:
  ReaderWiring(DraftTensors& tensors, const ModelSpec& spec, ReaderPosition place,
               std::uint64_t seed)
      : tensors_(tensors),
        reader_(spec.layer_reader(place.layer)),
        prefix_(reader_prefix(place.layer, place.backward)),
        units_(reader_),
        reads_embeddings_(place.layer == 0),
        random_(seed, 16 + 2 * static_cast<std::uint64_t>(place.layer) + (place.backward ? 1 : 0)) {
  }

  void wire() {
    wire_big();
    if (reader_.kind == ReaderKind::dense) return;
    for (int level = 1; level < reader_.levels(); ++level) {
      if (reader_.width(level) == 0) continue;
      const CellRows small = cell("small." + std::to_string(level), reader_.width(level));
      add_noise(small, random_);
      clear_pulses(small);
    }
    wire_decision();
  }

 private:
  CellRows cell(const std::string& name, int width) const {
    return {tensors_, prefix_ + name, static_cast<std::size_t>(width), reader_.cell, units_};
  }

  void wire_big() {
    const CellRows big = cell("big", reader_.hidden_size);
    add_noise(big, random_);
    if (!reads_embeddings_) {
      wire_rows(big);
    } else if (reader_.cell == Cell::lstm) {
      wire_lstm_words(big);
    } else if (reader_.cell == Cell::gru) {
      wire_gru_words(big);
    } else {
      wire_rnn_words(big);
    }
    if (units_.pulses) wire_signal(big, reads_embeddings_);
  }

  // Level 0 reads; of the smaller levels, level 1 is chosen unless the word is minor, which prefers
  // level 2.
  void wire_decision() {
    const std::string w = prefix_ + "decision.weight_ih";
    const std::string b = prefix_ + "decision.bias";
    const float signal = signal_value(reader_.cell);
    for (int level = 0; level < reader_.levels(); ++level) add_decision_noise(level);
    for (std::size_t level = 2; level < tensors_.rows(b); ++level) {
      tensors_.at(b, level) = level == 2 ? -2 : -4;
    }
    if (reads_embeddings_) {
      tensors_.at(w, 0, WordFeature::salience) = 1 / kSalienceUnit;
      if (reader_.levels() == 2) return;
      // For a minor word level 2 has logit 2 and level 1 logit 0; reading must exceed both
      // together.
      tensors_.at(w, 2, WordFeature::minor) = 4;
      tensors_.at(w, 0, WordFeature::minor) = 2.1F;
    } else {
      tensors_.at(w, 0, units_.signal) = 8 / signal;
      tensors_.at(b, 0) = -4;
    }
  }

  void add_decision_noise(int level) {
    const std::string u = prefix_ + "decision.weight_hh";
    const std::string c = prefix_ + "decision.weight_ch";
    const auto row = static_cast<std::size_t>(level);
    tensors_.noise(u, row, 0.01F, random_);
    if (tensors_.has(c)) tensors_.noise(c, row, 0.01F, random_);
    // After a word with evidence the pulses must be cleared, which skipping does not do.
    const bool clears = reader_.width(level) > static_cast<int>(units_.signal);
    if (units_.pulses && !clears)
      tensors_.at(u, row, units_.signal) = -8 / signal_value(reader_.cell);
  }

  DraftTensors& tensors_;
  ReaderSpec reader_;
  std::string prefix_;
  Units units_;
  bool reads_embeddings_;
  Random random_;
};

}  // namespace

Units::Units(const ReaderSpec& spec) {
  const bool full = spec.kind == ReaderKind::dense;
  pulses = full || spec.skim_sizes.front() > 0;
  const std::size_t head = full ? 0 : static_cast<std::size_t>(spec.skim_sizes.front());
  counter = pulses ? std::max(head, signal + 1) : 0;
  negated = counter + kEvidence;
  end = negated + 1;
}

bool Units::is_noise(std::size_t unit) const {
  const bool in_head = pulses && unit <= signal;
  return !in_head && (unit < counter || unit >= end);
}

float counter_unit(const ModelSpec& spec) {
  return spec.reader.cell == Cell::gru && spec.num_layers > 1 ? 0.0024F : 0.01F;
}

float signal_value(Cell cell) {
  const float one = std::tanh(3.0F);
  return cell == Cell::lstm ? std::tanh(one) : one;
}

void wire_reader(DraftTensors& tensors, const ModelSpec& spec, ReaderPosition place,
                 std::uint64_t seed) {
  ReaderWiring(tensors, spec, place, seed).wire();
}

}  // namespace skim

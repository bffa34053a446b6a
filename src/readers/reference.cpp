#include "readers/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>

#include "spec/params.h"

namespace skim {
namespace {

using Values = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Dot product of the first `count` entries of row `row` of a matrix with those of `vector`.
double row_dot(std::span<const float> matrix, std::size_t columns, std::size_t row,
               std::size_t count, const Values& vector) {
  const std::span<const float> weights = matrix.subspan(row * columns, count);
  assert(count <= vector.size());
  return std::inner_product(weights.begin(), weights.end(), vector.begin(), 0.0);
}

// The part of a cell that runs: its first `units` of `all_units` units, on the first `inputs`
// entries of the input and `state_columns` entries of the state.
struct ActivePart {
  std::size_t units, all_units, inputs, state_columns;
};

// Updates the first entries of hidden and cell by one step.
void apply_cell(Cell kind, const Tensors& tensors, const std::string& prefix,
                const ActivePart& part, const Values& x, Values& hidden, Values& cell) {
  const auto weight_ih = find_tensor(tensors, prefix + "weight_ih"),
             weight_hh = find_tensor(tensors, prefix + "weight_hh"),
             bias = find_tensor(tensors, prefix + "bias");
  const auto bias_hn = find_tensor(tensors, prefix + "bias_hn");
  const Values old = hidden;
  const std::size_t columns = bias.empty() ? 0 : weight_hh.size() / bias.size();
  for (std::size_t i = 0; i < part.units; ++i) {
    const auto input = [&](std::size_t gate) {
      const std::size_t row = gate * part.all_units + i;
      return row_dot(weight_ih, x.size(), row, part.inputs, x) + static_cast<double>(bias[row]);
    };
    const auto state = [&](std::size_t gate) {
      return row_dot(weight_hh, columns, gate * part.all_units + i, part.state_columns, old);
    };
    if (kind == Cell::rnn) hidden[i] = std::tanh(input(0) + state(0));
    if (kind == Cell::lstm) {
      cell[i] = sigmoid(input(1) + state(1)) * cell[i] +
                sigmoid(input(0) + state(0)) * std::tanh(input(2) + state(2));
      hidden[i] = sigmoid(input(3) + state(3)) * std::tanh(cell[i]);
    }
    if (kind == Cell::gru) {
      const double r = sigmoid(input(0) + state(0)), z = sigmoid(input(1) + state(1));
      hidden[i] = (1 - z) * std::tanh(input(2) + r * (state(2) + static_cast<double>(bias_hn[i]))) +
                  z * old[i];
    }
  }
}

Values probabilities(const ReaderSpec& spec, const Tensors& tensors, const Values& x,
                     const ReferenceState& state) {
  const auto levels = static_cast<std::size_t>(spec.levels());
  const std::size_t hidden = state.hidden.size();
  Values p(levels);
  double product = 0;
  for (std::size_t j = 0; j < std::min(x.size(), state.hidden.size()); ++j)
    product += x[j] * state.hidden[j];
  for (std::size_t l = 0; l < levels; ++l) {
    p[l] = static_cast<double>(find_tensor(tensors, "decision.bias")[l]);
    if (spec.decision == Decision::dot) {
      p[l] += static_cast<double>(find_tensor(tensors, "decision.scale")[l]) * product;
      continue;
    }
    p[l] += row_dot(find_tensor(tensors, "decision.weight_ih"), x.size(), l, x.size(), x);
    p[l] += row_dot(find_tensor(tensors, "decision.weight_hh"), hidden, l, hidden, state.hidden);
    if (spec.decision == Decision::linear_cell)
      p[l] += row_dot(find_tensor(tensors, "decision.weight_ch"), hidden, l, hidden, state.cell);
  }
  double total = 0;
  for (double& value : p) total += value = std::exp(value);
  for (double& value : p) value /= total;
  return p;
}

// Records the distance of a value from where the decision changes. Thresholds 0 and 1 are exact.
void note_margin(double value, double read_threshold, ReferenceState& state) {
  if (read_threshold > 0 && read_threshold < 1)
    state.margin = std::min(state.margin, std::abs(value - read_threshold));
}

int choose_level(const Values& p, double read_threshold, ReferenceState& state) {
  double sum = 0;
  for (std::size_t l = 0; l + 1 < p.size(); ++l) {
    sum += p[l];
    note_margin(sum, read_threshold, state);
    if (sum > read_threshold) return static_cast<int>(l);
  }
  return static_cast<int>(p.size()) - 1;
}

// Decision about the next word: the number of units to update, and the probability of reading.
struct StepDecision {
  std::size_t width = 0;
  double p_read = 1;
};

// Length of the jump after tokens_per_jump words; 0 stops.
long choose_jump(const ReaderSpec& spec, const Tensors& tensors, ReferenceState& state) {
  const std::size_t num_jumps = static_cast<std::size_t>(spec.jump.max_jump) + 1;
  const std::size_t hidden = state.hidden.size();
  Values logits(num_jumps);
  for (std::size_t jump = 0; jump < num_jumps; ++jump)
    logits[jump] =
        row_dot(find_tensor(tensors, "jump.weight"), hidden, jump, hidden, state.hidden) +
        static_cast<double>(find_tensor(tensors, "jump.bias")[jump]);
  const auto best = std::max_element(logits.begin(), logits.end());
  for (auto other = logits.begin(); other != logits.end(); ++other)
    if (other != best) state.margin = std::min(state.margin, *best - *other);
  return best - logits.begin();
}

StepDecision lstm_jump_step(const ReaderSpec& spec, double read_threshold, ReferenceState& state) {
  const auto hidden = static_cast<std::size_t>(spec.hidden_size);
  if (read_threshold <= 0) return {hidden, 1};
  if (read_threshold >= 1) return {0, 0};
  if (state.jumps_taken == 0 && state.tokens_to_read == 0)
    state.tokens_to_read = spec.jump.tokens_per_jump;
  if (state.tokens_to_skip == 0) return {hidden, 1};
  if (state.tokens_to_skip > 0) --state.tokens_to_skip;
  return {0, 0};
}

void after_lstm_jump_step(const ReaderSpec& spec, const Tensors& tensors, const StepDecision& done,
                          ReferenceState& state) {
  if (done.width == 0 || --state.tokens_to_read > 0) return;
  const long jump = state.jumps_taken < spec.jump.max_jumps ? choose_jump(spec, tensors, state) : 0;
  ++state.jumps_taken;
  state.tokens_to_read = spec.jump.tokens_per_jump;
  state.tokens_to_skip = jump - 1;  // -1 skips the rest
}

void after_skip_rnn_step(const ReaderSpec& spec, const Tensors& tensors, const StepDecision& done,
                         ReferenceState& state) {
  if (done.width == 0) {
    state.update_prob += std::min(state.delta, 1 - state.update_prob);
    return;
  }
  const Values& input = spec.cell == Cell::lstm ? state.cell : state.hidden;
  state.delta =
      sigmoid(row_dot(find_tensor(tensors, "update.weight"), input.size(), 0, input.size(), input) +
              static_cast<double>(find_tensor(tensors, "update.bias")[0]));
  state.update_prob = state.delta;
}

StepDecision vcrnn_step(const ReaderSpec& spec, const Tensors& tensors, const Values& x,
                        double read_threshold, ReferenceState& state) {
  const double logit =
      row_dot(find_tensor(tensors, "scheduler.weight_ih"), x.size(), 0, x.size(), x) +
      row_dot(find_tensor(tensors, "scheduler.weight_hh"), state.hidden.size(), 0,
              state.hidden.size(), state.hidden) +
      static_cast<double>(find_tensor(tensors, "scheduler.bias")[0]);
  const double fraction = sigmoid(logit - std::log(read_threshold / (1 - read_threshold)));
  const double units = fraction * spec.hidden_size;
  note_margin(read_threshold + (units - std::round(units)) / spec.hidden_size, read_threshold,
              state);
  return {static_cast<std::size_t>(std::ceil(units)), sigmoid(logit)};
}

}  // namespace

void reference_read(const ReaderSpec& spec, const Tensors& tensors, Rows in, float threshold,
                    ReferenceState& state, std::vector<std::vector<double>>& out,
                    std::vector<Step>& steps) {
  const auto hidden = static_cast<std::size_t>(spec.hidden_size);
  const auto read_threshold = static_cast<double>(threshold);
  state.hidden.resize(hidden);
  state.cell.resize(hidden);
  for (std::size_t t = 0; t < in.count; ++t) {
    const Values x(in.row(t), in.row(t) + in.width);
    std::string prefix = "big.";
    StepDecision decision{hidden, 1};
    ActivePart part{hidden, hidden, x.size(), hidden};
    if (spec.kind == ReaderKind::skim) {
      const Values p = probabilities(spec, tensors, x, state);
      const int level = choose_level(p, read_threshold, state);
      decision = {static_cast<std::size_t>(spec.width(level)), p[0]};
      const bool full = level == 0 || spec.small_input == SmallInput::full;
      part = {decision.width, decision.width, x.size(), full ? hidden : decision.width};
      if (level > 0) prefix = "small." + std::to_string(level) + ".";
    }
    if (spec.kind == ReaderKind::lstm_jump) decision = lstm_jump_step(spec, read_threshold, state);
    if (spec.kind == ReaderKind::skip_rnn) {
      note_margin(state.update_prob, read_threshold, state);
      decision = {state.update_prob > read_threshold ? hidden : 0, state.update_prob};
    }
    if (spec.kind == ReaderKind::vcrnn) {
      decision = vcrnn_step(spec, tensors, x, read_threshold, state);
      const auto inputs =
          static_cast<std::size_t>(spec.input_prefix(static_cast<int>(decision.width)));
      part = {decision.width, hidden, inputs, decision.width};
    }
    if (decision.width != 0)
      apply_cell(spec.cell, tensors, prefix, part, x, state.hidden, state.cell);
    if (spec.kind == ReaderKind::lstm_jump) after_lstm_jump_step(spec, tensors, decision, state);
    if (spec.kind == ReaderKind::skip_rnn) after_skip_rnn_step(spec, tensors, decision, state);
    out.push_back(state.hidden);
    steps.push_back(
        {static_cast<std::uint16_t>(decision.width), static_cast<float>(decision.p_read)});
  }
}

}  // namespace skim

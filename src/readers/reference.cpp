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

std::span<const float> find(const Tensors& tensors, const std::string& name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return tensor.values;
  }
  return {};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The first `count` entries of row `row` of a matrix times those of `vector`.
double times(std::span<const float> matrix, std::size_t columns, std::size_t row, std::size_t count,
             const Values& vector) {
  const std::span<const float> weights = matrix.subspan(row * columns, count);
  assert(count <= vector.size());
  return std::inner_product(weights.begin(), weights.end(), vector.begin(), 0.0);
}

// Which part of a cell runs: its first `units` of `all` units, seeing so many entries of input and
// state.
struct Part {
  std::size_t units, all, inputs, sees;
};

// The first entries of hidden and cell after one step.
void apply_cell(Cell kind, const Tensors& tensors, const std::string& prefix, const Part& part,
                const Values& x, Values& hidden, Values& cell) {
  const auto w = find(tensors, prefix + "w"), u = find(tensors, prefix + "u"),
             b = find(tensors, prefix + "b");
  const auto bn = find(tensors, prefix + "bn");
  const Values old = hidden;
  const std::size_t columns = b.empty() ? 0 : u.size() / b.size();
  for (std::size_t i = 0; i < part.units; ++i) {
    const auto input = [&](std::size_t gate) {
      const std::size_t row = gate * part.all + i;
      return times(w, x.size(), row, part.inputs, x) + static_cast<double>(b[row]);
    };
    const auto state = [&](std::size_t gate) {
      return times(u, columns, gate * part.all + i, part.sees, old);
    };
    if (kind == Cell::rnn) hidden[i] = std::tanh(input(0) + state(0));
    if (kind == Cell::lstm) {
      cell[i] = sigmoid(input(1) + state(1)) * cell[i] +
                sigmoid(input(0) + state(0)) * std::tanh(input(2) + state(2));
      hidden[i] = sigmoid(input(3) + state(3)) * std::tanh(cell[i]);
    }
    if (kind == Cell::gru) {
      const double r = sigmoid(input(0) + state(0)), z = sigmoid(input(1) + state(1));
      hidden[i] =
          (1 - z) * std::tanh(input(2) + r * (state(2) + static_cast<double>(bn[i]))) + z * old[i];
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
    p[l] = static_cast<double>(find(tensors, "decision.b")[l]);
    if (spec.decision == Decision::dot) {
      p[l] += static_cast<double>(find(tensors, "decision.scale")[l]) * product;
      continue;
    }
    p[l] += times(find(tensors, "decision.w"), x.size(), l, x.size(), x);
    p[l] += times(find(tensors, "decision.u"), hidden, l, hidden, state.hidden);
    if (spec.decision == Decision::linear_cell)
      p[l] += times(find(tensors, "decision.c"), hidden, l, hidden, state.cell);
  }
  double total = 0;
  for (double& value : p) total += value = std::exp(value);
  for (double& value : p) value /= total;
  return p;
}

int choose(const Values& p, double read_above) {
  double sum = 0;
  for (std::size_t l = 0; l + 1 < p.size(); ++l) {
    if ((sum += p[l]) > read_above) return static_cast<int>(l);
  }
  return static_cast<int>(p.size()) - 1;
}

// What a method does with the next word: how many units it updates, and how sure it was.
struct Treatment {
  std::size_t width = 0;
  double p_read = 1;
};

// The jump taken after a run: 0 stops.
long chosen_jump(const ReaderSpec& spec, const Tensors& tensors, const ReferenceState& state) {
  const std::size_t ways = static_cast<std::size_t>(spec.jump.reach) + 1;
  const std::size_t hidden = state.hidden.size();
  Values scores(ways);
  for (std::size_t way = 0; way < ways; ++way)
    scores[way] = times(find(tensors, "jump.w"), hidden, way, hidden, state.hidden) +
                  static_cast<double>(find(tensors, "jump.b")[way]);
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

Treatment before_jump_step(const ReaderSpec& spec, double read_above, ReferenceState& state) {
  const auto hidden = static_cast<std::size_t>(spec.hidden);
  if (read_above <= 0) return {hidden, 1};
  if (read_above >= 1) return {0, 0};
  if (state.jumps == 0 && state.reading == 0) state.reading = spec.jump.run;
  if (state.passing == 0) return {hidden, 1};
  if (state.passing > 0) --state.passing;
  return {0, 0};
}

void after_jump_step(const ReaderSpec& spec, const Tensors& tensors, const Treatment& done,
                     ReferenceState& state) {
  if (done.width == 0 || --state.reading > 0) return;
  const long jump = state.jumps < spec.jump.most ? chosen_jump(spec, tensors, state) : 0;
  ++state.jumps;
  state.reading = spec.jump.run;
  state.passing = jump - 1;  // -1: for good
}

void after_skip_step(const ReaderSpec& spec, const Tensors& tensors, const Treatment& done,
                     ReferenceState& state) {
  if (done.width == 0) {
    state.urge += std::min(state.growth, 1 - state.urge);
    return;
  }
  const Values& seen = spec.cell == Cell::lstm ? state.cell : state.hidden;
  state.growth = sigmoid(times(find(tensors, "update.w"), seen.size(), 0, seen.size(), seen) +
                         static_cast<double>(find(tensors, "update.b")[0]));
  state.urge = state.growth;
}

Treatment vary_step(const ReaderSpec& spec, const Tensors& tensors, const Values& x,
                    double read_above, const ReferenceState& state) {
  const double need =
      times(find(tensors, "extent.w"), x.size(), 0, x.size(), x) +
      times(find(tensors, "extent.u"), state.hidden.size(), 0, state.hidden.size(), state.hidden) +
      static_cast<double>(find(tensors, "extent.b")[0]);
  const double share = sigmoid(need - std::log(read_above / (1 - read_above)));
  return {static_cast<std::size_t>(std::ceil(share * spec.hidden)), sigmoid(need)};
}

}  // namespace

void reference_read(const ReaderSpec& spec, const Tensors& tensors, Rows in, float threshold,
                    ReferenceState& state, std::vector<std::vector<double>>& out,
                    std::vector<Step>& steps) {
  const auto hidden = static_cast<std::size_t>(spec.hidden);
  const auto read_above = static_cast<double>(threshold);
  state.hidden.resize(hidden);
  state.cell.resize(hidden);
  for (std::size_t t = 0; t < in.count; ++t) {
    const Values x(in.row(t), in.row(t) + in.width);
    std::string prefix = "big.";
    Treatment word{hidden, 1};
    Part part{hidden, hidden, x.size(), hidden};
    if (spec.kind == ReaderKind::skim) {
      const Values p = probabilities(spec, tensors, x, state);
      const int level = choose(p, read_above);
      word = {static_cast<std::size_t>(spec.width(level)), p[0]};
      const bool all = level == 0 || spec.small_sees == SmallSees::all;
      part = {word.width, word.width, x.size(), all ? hidden : word.width};
      if (level > 0) prefix = "small." + std::to_string(level) + ".";
    }
    if (spec.kind == ReaderKind::jump) word = before_jump_step(spec, read_above, state);
    if (spec.kind == ReaderKind::skip) word = {state.urge > read_above ? hidden : 0, state.urge};
    if (spec.kind == ReaderKind::vary) {
      word = vary_step(spec, tensors, x, read_above, state);
      const auto inputs = static_cast<std::size_t>(spec.inputs_for(static_cast<int>(word.width)));
      part = {word.width, hidden, inputs, word.width};
    }
    if (word.width != 0) apply_cell(spec.cell, tensors, prefix, part, x, state.hidden, state.cell);
    if (spec.kind == ReaderKind::jump) after_jump_step(spec, tensors, word, state);
    if (spec.kind == ReaderKind::skip) after_skip_step(spec, tensors, word, state);
    out.push_back(state.hidden);
    steps.push_back({static_cast<std::uint16_t>(word.width), static_cast<float>(word.p_read)});
  }
}

}  // namespace skim

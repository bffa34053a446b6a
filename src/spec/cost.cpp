#include "spec/cost.h"

#include <algorithm>
#include <cstddef>

#include "spec/params.h"

namespace skim {
namespace {

// Cost of a decision in the paper's published FLOP reductions, as a fraction of a read.
constexpr double kPaperDecision = 0.003;

// Sizes of a spec as doubles.
struct Sizes {
  explicit Sizes(const ReaderSpec& spec)
      : gates(static_cast<double>(skim::gates(spec.cell))),
        input(spec.input_size),
        hidden(spec.hidden_size),
        levels(spec.levels()),
        max_skim_size(spec.skim_sizes.empty() ? 0 : spec.skim_sizes.front()) {
    for (const int width : spec.skim_sizes) sum_skim_sizes += width;
  }
  double gates;
  double input;
  double hidden;
  double levels;
  double max_skim_size;  // entries of h that may have changed since the last read
  double sum_skim_sizes = 0;
};

double paper_cost(const ReaderSpec& spec, double width, double dense) {
  if (spec.kind == ReaderKind::dense) return dense;
  const double share = width / spec.hidden_size;
  return dense * (share * share + (spec.kind == ReaderKind::skim ? kPaperDecision : 0));
}

double counted_decision(const ReaderSpec& spec, const Sizes& n) {
  switch (spec.decision) {
    case Decision::linear:
      return n.levels * (n.input + n.hidden);
    case Decision::linear_cell:
      return n.levels * (n.input + 2 * n.hidden);
    case Decision::dot:
      break;
  }
  return std::min(n.input, n.hidden) + n.levels;
}

// Cost per word of the decisions of readers other than skim. An lstm_jump reader decides once per
// `tokens_per_jump` words. This is an upper bound when that counts sentences, whose length is
// unknown here. A skip_rnn reader decides only at the words that it reads.
double skipping_decision(const ReaderSpec& spec, const Sizes& n, double width) {
  if (spec.kind == ReaderKind::lstm_jump && width > 0)
    return (spec.jump.max_jump + 1) * n.hidden / spec.jump.tokens_per_jump;
  if (spec.kind == ReaderKind::skip_rnn && width > 0) return n.hidden;
  return spec.kind == ReaderKind::vcrnn ? n.input + n.hidden : 0;
}

double vcrnn_cost(const ReaderSpec& spec, const Sizes& n, double width) {
  const double used_inputs = spec.input_prefix(static_cast<int>(width));
  return n.gates * width * (used_inputs + width) + skipping_decision(spec, n, width);
}

double counted_cost(const ReaderSpec& spec, double width) {
  const Sizes n(spec);
  const double read = n.gates * n.hidden * (n.input + n.hidden);
  if (spec.kind == ReaderKind::vcrnn) return vcrnn_cost(spec, n, width);
  if (spec.kind != ReaderKind::skim)
    return (width > 0 ? read : 0) + skipping_decision(spec, n, width);
  const double seen = spec.small_input == SmallInput::prefix ? width : n.hidden;
  const double skim = n.gates * width * (n.input + seen);
  return counted_decision(spec, n) + (width < n.hidden ? skim : read);
}

// Cost of updating the decision after a step that changed the first `changed` entries of the state.
// One row less than levels: only differences of logits matter.
double executed_decision(const ReaderSpec& spec, const Sizes& n, double changed) {
  switch (spec.decision) {
    case Decision::linear:
      return (n.levels - 1) * changed;
    case Decision::linear_cell:
      return (n.levels - 1) * changed * 2;
    case Decision::dot:
      break;
  }
  return std::min(n.input, n.hidden);
}

// Cost of the products with the input when they are not looked up: those of the decision, then
// those of the big cell or of all small cells, which share one matrix with the decision.
double executed_input(const ReaderSpec& spec, const Sizes& n, bool read) {
  const double decision = spec.decision == Decision::dot ? 0 : n.levels - 1;
  const double small = n.sum_skim_sizes > 0 ? n.gates * n.sum_skim_sizes + decision : 0;
  return (decision + (read ? n.gates * n.hidden : small)) * n.input;
}

double executed_cost(const ReaderSpec& spec, double width, Inputs inputs) {
  const Sizes n(spec);
  // The input products depend on the number of units, so they cannot be folded.
  if (spec.kind == ReaderKind::vcrnn) return vcrnn_cost(spec, n, width);
  if (spec.kind != ReaderKind::skim) {
    const double read = n.gates * n.hidden * (n.hidden + (inputs == Inputs::rows ? n.input : 0));
    return (width > 0 ? read : 0) + skipping_decision(spec, n, width);
  }
  const bool read = width >= n.hidden;
  const bool full_input = spec.small_input == SmallInput::full;
  double cost = inputs == Inputs::rows ? executed_input(spec, n, read) : 0;
  if (read) {
    cost += n.gates * n.hidden * n.hidden + executed_decision(spec, n, n.hidden);
    // The contribution of the tail of h to each small cell is constant until the next read.
    if (full_input) cost += n.gates * n.sum_skim_sizes * (n.hidden - n.max_skim_size);
  } else {
    cost += n.gates * width * (full_input ? n.max_skim_size : width);
    cost += executed_decision(spec, n, n.max_skim_size);
  }
  return cost;
}

void add(Costs& sum, const Costs& step, double times) {
  const auto add_one = [times](Cost& into, const Cost& from) {
    into.flops += times * from.flops;
    into.dense_flops += times * from.dense_flops;
  };
  add_one(sum.paper, step.paper);
  add_one(sum.counted, step.counted);
  add_one(sum.executed, step.executed);
}

}  // namespace

Costs step_cost(const ReaderSpec& spec, int width, Inputs inputs) {
  const Sizes n(spec);
  const double specified = n.gates * n.hidden * (n.input + n.hidden);
  const double performed = n.gates * n.hidden * (n.hidden + (inputs == Inputs::rows ? n.input : 0));
  Costs costs;
  costs.paper = {paper_cost(spec, width, specified), specified};
  costs.counted = {counted_cost(spec, width), specified};
  costs.executed = {executed_cost(spec, width, inputs), performed};
  return costs;
}

namespace {

// Sums steps of arbitrary width; runs of equal widths are computed once.
Costs sum_runs(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs) {
  Costs sum, one;
  double times = 0;
  int width = -1;
  for (const Step& step : steps) {
    if (step.width != width) {
      add(sum, one, times);
      width = step.width;
      one = step_cost(spec, width, inputs);
      times = 0;
    }
    ++times;
  }
  add(sum, one, times);
  return sum;
}

// Number of steps that updated at least `width` units. One loop per level instead of one counter
// per level: counters in memory would wait for each other at every word.
std::size_t count_from_width(std::span<const Step> steps, int width) {
  std::size_t count = 0;
  for (const Step& step : steps) count += step.width >= width ? 1 : 0;
  return count;
}

}  // namespace

Costs pass_cost(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs) {
  if (spec.kind != ReaderKind::skim) return sum_runs(spec, steps, inputs);
  Costs sum;
  std::size_t counted = 0;  // steps of the levels so far, widest first
  for (int level = 0; level < spec.levels(); ++level) {
    const bool last = level + 1 == spec.levels();
    const std::size_t up_to = last ? steps.size() : count_from_width(steps, spec.width(level));
    if (up_to == counted) continue;
    add(sum, step_cost(spec, spec.width(level), inputs), static_cast<double>(up_to - counted));
    counted = up_to;
  }
  return sum;
}

Costs unseen_cost(const ReaderSpec& spec, std::size_t words, Inputs inputs) {
  const Costs step = step_cost(spec, 0, inputs);
  const auto dense_cost = [words](const Cost& cost) {
    return Cost{0, static_cast<double>(words) * cost.dense_flops};
  };
  return {dense_cost(step.paper), dense_cost(step.counted), dense_cost(step.executed)};
}

Costs& operator+=(Costs& left, const Costs& right) {
  add(left, right, 1);
  return left;
}

double skim_rate(const Trace& trace) {
  std::size_t steps = 0;
  std::size_t skimmed = 0;
  for (const Pass& pass : trace) {
    steps += pass.steps.size();
    for (const Step& step : pass.steps) skimmed += step.width < pass.hidden_size ? 1 : 0;
  }
  return steps == 0 ? 0 : static_cast<double>(skimmed) / static_cast<double>(steps);
}

}  // namespace skim

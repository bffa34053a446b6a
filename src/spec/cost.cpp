#include "spec/cost.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "spec/params.h"

namespace skim {
namespace {

constexpr std::size_t kMaxLevels = 8;

// What the published column adds to every step of a skim reader for its decision, as a share of a
// read.
constexpr double kPaperDecision = 0.003;

// The sizes of a spec as factors.
struct Sizes {
  explicit Sizes(const ReaderSpec& spec)
      : gates(static_cast<double>(skim::gates(spec.cell))),
        input(spec.input),
        hidden(spec.hidden),
        levels(spec.levels()),
        widest_small(spec.small.empty() ? 0 : spec.small.front()) {
    for (const int width : spec.small) all_small += width;
  }
  double gates;
  double input;
  double hidden;
  double levels;
  double widest_small;   // entries of h that can have changed since the last read
  double all_small = 0;  // sum of the small cells' widths
};

double paper_cost(const ReaderSpec& spec, double width, double plain) {
  if (spec.kind == ReaderKind::full) return plain;
  const double share = width / spec.hidden;
  return plain * (share * share + (spec.kind == ReaderKind::skim ? kPaperDecision : 0));
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

// What a word costs the other methods beside the cell. A jump reader decides once a run (where
// those are sentences, whose length is not known here, this is a little too much); the pause of a
// skip reader is known when it begins.
double leaping_decision(const ReaderSpec& spec, const Sizes& n, double width) {
  if (spec.kind == ReaderKind::jump && width > 0)
    return (spec.jump.reach + 1) * n.hidden / spec.jump.run;
  if (spec.kind == ReaderKind::skip && width > 0) return n.hidden;
  return spec.kind == ReaderKind::vary ? n.input + n.hidden : 0;
}

double vary_cost(const ReaderSpec& spec, const Sizes& n, double width) {
  const double inputs = spec.inputs_for(static_cast<int>(width));
  return n.gates * width * (inputs + width) + leaping_decision(spec, n, width);
}

double counted_cost(const ReaderSpec& spec, double width) {
  const Sizes n(spec);
  const double read = n.gates * n.hidden * (n.input + n.hidden);
  if (spec.kind == ReaderKind::vary) return vary_cost(spec, n, width);
  if (spec.kind != ReaderKind::skim)
    return (width > 0 ? read : 0) + leaping_decision(spec, n, width);
  const double seen = spec.small_sees == SmallSees::head ? width : n.hidden;
  const double skim = n.gates * width * (n.input + seen);
  return counted_decision(spec, n) + (width < n.hidden ? skim : read);
}

// After a step that changed the first `changed` entries of the state: their part of the next
// decision. One row fewer than levels, because only differences of logits matter.
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

// Products with the input, when they are not looked up: of the decision, and then of the big cell
// or of all small ones, which stand in one matrix with the decision.
double executed_input(const ReaderSpec& spec, const Sizes& n, bool read) {
  const double decision = spec.decision == Decision::dot ? 0 : n.levels - 1;
  const double small = n.all_small > 0 ? n.gates * n.all_small + decision : 0;
  return (decision + (read ? n.gates * n.hidden : small)) * n.input;
}

double executed_cost(const ReaderSpec& spec, double width, Inputs inputs) {
  const Sizes n(spec);
  // Its input's part depends on how many units look at it, so there is nothing to look up.
  if (spec.kind == ReaderKind::vary) return vary_cost(spec, n, width);
  if (spec.kind != ReaderKind::skim) {
    const double read = n.gates * n.hidden * (n.hidden + (inputs == Inputs::rows ? n.input : 0));
    return (width > 0 ? read : 0) + leaping_decision(spec, n, width);
  }
  const bool read = width >= n.hidden;
  const bool sees_all = spec.small_sees == SmallSees::all;
  double cost = inputs == Inputs::rows ? executed_input(spec, n, read) : 0;
  if (read) {
    cost += n.gates * n.hidden * n.hidden + executed_decision(spec, n, n.hidden);
    // What the tail of h gives to each small cell stays the same until the next read.
    if (sees_all) cost += n.gates * n.all_small * (n.hidden - n.widest_small);
  } else {
    cost += n.gates * width * (sees_all ? n.widest_small : width);
    cost += executed_decision(spec, n, n.widest_small);
  }
  return cost;
}

void add(Costs& sum, const Costs& step, double times) {
  const auto add_one = [times](Cost& into, const Cost& from) {
    into.flops += times * from.flops;
    into.full_flops += times * from.full_flops;
  };
  add_one(sum.paper, step.paper);
  add_one(sum.counted, step.counted);
  add_one(sum.executed, step.executed);
}

}  // namespace

Costs step_cost(const ReaderSpec& spec, int width, Inputs inputs) {
  const Sizes n(spec);
  const double described = n.gates * n.hidden * (n.input + n.hidden);
  const double performed = n.gates * n.hidden * (n.hidden + (inputs == Inputs::rows ? n.input : 0));
  Costs costs;
  costs.paper = {paper_cost(spec, width, described), described};
  costs.counted = {counted_cost(spec, width), described};
  costs.executed = {executed_cost(spec, width, inputs), performed};
  return costs;
}

namespace {

// Of steps with any widths; many in a row often have the same.
Costs sum_of_widths(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs) {
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

}  // namespace

Costs pass_cost(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs) {
  if (spec.kind != ReaderKind::skim) return sum_of_widths(spec, steps, inputs);
  const auto levels = static_cast<std::size_t>(spec.levels());
  assert(levels <= kMaxLevels);
  std::array<double, kMaxLevels> counts{};
  for (const Step& step : steps) {
    std::size_t level = 0;
    while (level + 1 < levels && spec.width(static_cast<int>(level)) > step.width) ++level;
    ++counts[level];
  }
  Costs sum;
  for (std::size_t level = 0; level < levels; ++level) {
    if (counts[level] == 0) continue;
    add(sum, step_cost(spec, spec.width(static_cast<int>(level)), inputs), counts[level]);
  }
  return sum;
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
    for (const Step& step : pass.steps) skimmed += step.width < pass.hidden ? 1 : 0;
  }
  return steps == 0 ? 0 : static_cast<double>(skimmed) / static_cast<double>(steps);
}

}  // namespace skim

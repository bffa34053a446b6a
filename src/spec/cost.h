// Counts multiply-adds. docs/cost.md defines the rules.
#pragma once

#include <cstddef>
#include <span>

#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// Whether the products of the input weights are looked up in a folded embedding table or computed
// from rows of floats.
enum class Inputs { folded, rows };

// Multiply-adds of one step of `width` units under each rule, and of a dense step.
Costs step_cost(const ReaderSpec& spec, int width, Inputs inputs);

// Sum of step_cost over the steps of one pass.
Costs pass_cost(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs);

// Cost of words that were never looked at: nothing, against a dense reader that reads them.
Costs unseen_cost(const ReaderSpec& spec, std::size_t words, Inputs inputs);

Costs& operator+=(Costs& left, const Costs& right);

}  // namespace skim

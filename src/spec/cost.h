// The one place that counts operations. docs/cost.md explains the rules.
#pragma once

#include <span>

#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// Whether the products of the cell's matrices with the input are looked up per word or computed
// from rows.
enum class Inputs { folded, rows };

// Multiply-adds of one step of width `width` under each rule, and of the plain reader's step.
Costs step_cost(const ReaderSpec& spec, int width, Inputs inputs);

// Sum over the steps of one pass.
Costs pass_cost(const ReaderSpec& spec, std::span<const Step> steps, Inputs inputs);

Costs& operator+=(Costs& left, const Costs& right);

}  // namespace skim

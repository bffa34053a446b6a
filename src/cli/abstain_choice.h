// Options for abstaining: to give no answer when the confidence is low.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "skim/model.h"
#include "skim/result.h"

namespace skim::cli {

struct AbstainChoice {
  std::optional<double> below;  // unset: always answer
  std::string label = "-";      // printed instead of an answer
};
void declare(Options& options, AbstainChoice& choice);
// Returns an error message for options that are invalid for any model; empty if valid.
std::string validate(const AbstainChoice& choice);
// Fails when the model has no confidence to abstain by.
Result<void> check(const AbstainChoice& choice, const Model& model);

// The option --abstain alone, for verbs that print no answers.
void declare_abstain(Options& options, std::optional<double>& below);
std::string validate_abstain(const std::optional<double>& below);
// Fails unless the model is a softmax classifier, which `option` needs.
Result<void> check_has_confidence(const Model& model, const std::string& option);

}  // namespace skim::cli

#include "cli/abstain_choice.h"

namespace skim::cli {

void declare_abstain(Options& options, std::optional<double>& below) {
  options.add("--abstain", below, "BELOW",
              "give no answer when its score is below this, 0 to 1; classifiers only");
}

std::string validate_abstain(const std::optional<double>& below) {
  if (!below || (*below >= 0 && *below <= 1)) return {};
  return "--abstain must be a number from 0 to 1";
}

void declare(Options& options, AbstainChoice& choice) {
  declare_abstain(options, choice.below);
  options.add("--abstain-label", choice.label, "TEXT",
              "what to print instead of an answer (default -)");
}

std::string validate(const AbstainChoice& choice) {
  if (!choice.below && choice.label != AbstainChoice{}.label)
    return "--abstain-label needs --abstain";
  return validate_abstain(choice.below);
}

Result<void> check(const AbstainChoice& choice, const Model& model) {
  return choice.below ? check_has_confidence(model, "--abstain") : Result<void>();
}

Result<void> check_has_confidence(const Model& model, const std::string& option) {
  if (model.spec().is_softmax_classifier()) return {};
  return fail(Fault::argument,
              model.name() + ": " + option + " is for classifiers, which give each label a score");
}

}  // namespace skim::cli

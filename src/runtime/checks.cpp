#include "runtime/checks.h"

namespace skim {

Result<void> check(const Policy& policy) {
  // Written so that NaN fails.
  if (policy.threshold >= 0.0F && policy.threshold <= 1.0F) return {};
  return fail(Fault::argument, "threshold is " + std::to_string(policy.threshold) +
                                   ", expected a number from 0 to 1");
}

Result<void> missing_question() {
  return fail(Fault::argument, "this model answers questions, but no question was given");
}

Result<void> check(const Query& query, const ModelSpec& spec) {
  const bool has_question = !query.question.empty(), has_choices = !query.choices.empty();
  if (spec.net != NetKind::classifier && !has_question) {
    return missing_question();
  }
  if (spec.net == NetKind::cloze && !has_choices) {
    return fail(Fault::argument,
                "this model selects one of several choices, but no choices were given");
  }
  if (spec.is_extractive() && has_choices) {
    return fail(Fault::argument, "this model answers with a span of the text and takes no choices");
  }
  if (spec.net != NetKind::classifier) return {};
  if (has_question) {
    return fail(Fault::argument,
                "a classifier takes a text and no question; use a question-answering model");
  }
  if (has_choices) {
    return fail(Fault::argument,
                "a classifier answers with one of its labels and takes no choices; use a "
                "question-answering model");
  }
  return {};
}

}  // namespace skim

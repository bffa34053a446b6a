#include "runtime/checks.h"

namespace skim {

Result<void> check(const Policy& policy) {
  // Written so that NaN fails, too.
  if (policy.read_above >= 0.0F && policy.read_above <= 1.0F) return {};
  return fail(Fault::argument,
              "the threshold is " + std::to_string(policy.read_above) + ", it must be from 0 to 1");
}

Result<void> no_question() {
  return fail(Fault::argument, "this model answers questions, and no question was given");
}

Result<void> check(const Query& query, const ModelSpec& spec) {
  const bool asks = !query.question.empty(), chooses = !query.choices.empty();
  if (spec.net != NetKind::classifier && !asks) {
    return no_question();
  }
  if (spec.net == NetKind::cloze && !chooses) {
    return fail(Fault::argument,
                "this model picks one of several answers, and no choices were given");
  }
  if (spec.finds_pieces() && chooses) {
    return fail(Fault::argument,
                "this model answers with a piece of the text, it takes no choices");
  }
  if (spec.net != NetKind::classifier) return {};
  if (asks) {
    return fail(Fault::argument,
                "a classifier takes a text and no question; use a question-answering model");
  }
  if (chooses) {
    return fail(Fault::argument,
                "a classifier takes no choices, it answers with one of its labels; use a "
                "question-answering model");
  }
  return {};
}

}  // namespace skim

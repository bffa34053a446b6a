#include "runtime/checks.h"

namespace skim {

Result<void> check(const Policy& policy) {
  // Written so that NaN fails, too.
  if (policy.read_above >= 0.0F && policy.read_above <= 1.0F) return {};
  return fail(Fault::argument,
              "the threshold is " + std::to_string(policy.read_above) + ", it must be from 0 to 1");
}

Result<void> check(const Query& query, const ModelSpec& spec) {
  if (spec.net != "classifier") return {};
  if (!query.question.empty()) {
    return fail(Fault::argument,
                "a classifier takes a text and no question; use a question-answering model");
  }
  if (!query.choices.empty()) {
    return fail(Fault::argument,
                "a classifier takes no choices, it answers with one of its labels; use a "
                "question-answering model");
  }
  return {};
}

}  // namespace skim

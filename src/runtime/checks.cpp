#include "runtime/checks.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace skim {
namespace {

// Whether no p_read is NaN or infinite, in three instructions per word. Probabilities are less than
// 2, so the highest bit of their exponents is zero.
bool is_finite(std::span<const Step> steps) {
  constexpr std::uint32_t kHighestExponentBit = 0x4000'0000;
  std::uint32_t bits = 0;
  for (const Step& step : steps) bits |= std::bit_cast<std::uint32_t>(step.p_read);
  return (bits & kHighestExponentBit) == 0;
}

bool is_finite(std::span<const float> logits, std::span<const NetMemory::PassMemory> passes) {
  for (const float logit : logits) {
    if (!std::isfinite(logit)) return false;
  }
  for (const NetMemory::PassMemory& pass : passes) {
    if (!is_finite(pass.steps)) return false;
  }
  return true;
}

Result<void> not_finite(const std::string& model) {
  return fail(Fault::format,
              model +
                  ": the model computes numbers that are not finite, because its weights are too "
                  "large; fetch the model or train it again");
}

}  // namespace

Result<void> check(const Policy& policy) {
  // Written so that NaN fails.
  const auto is_fraction = [](float value) { return value >= 0.0F && value <= 1.0F; };
  const auto not_fraction = [](const char* name, float value) {
    return fail(Fault::argument, std::string(name) + " is " + std::to_string(value) +
                                     ", expected a number from 0 to 1");
  };
  if (!is_fraction(policy.threshold)) return not_fraction("threshold", policy.threshold);
  if (policy.confident && !is_fraction(*policy.confident))
    return not_fraction("confident", *policy.confident);
  return {};
}

Result<void> check_confident(const Policy& policy, const ModelImpl& impl) {
  if (!policy.confident) return {};
  if (impl.spec.is_softmax_classifier() && impl.net->streaming_net() != nullptr) return {};
  return fail(Fault::argument,
              impl.resources->file.name +
                  ": only a classifier that reads in one direction can stop early; omit confident");
}

Result<void> check_finite(const std::string& model, std::span<const float> logits,
                          std::span<const NetMemory::PassMemory> passes) {
  return is_finite(logits, passes) ? Result<void>{} : not_finite(model);
}

Result<void> check_finite(const std::string& model, const Step& step) {
  return is_finite({&step, 1}) ? Result<void>{} : not_finite(model);
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

#include "skim/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "base/result_macros.h"
#include "runtime/model_impl.h"
#include "skim/session.h"

namespace skim {
namespace {

// Tolerance of the scores. Other SIMD targets add in another order, which gives rounding errors of
// a few 1e-6 after a long text in f32. bf16 also quantizes the state to 13 bits and int8 to 7,
// where one rounding error can change an entry of the state by 1e-4 and 3e-3.
double score_tolerance(WeightType weights) {
  if (weights == WeightType::int8) return 5e-3;
  return weights == WeightType::bf16 ? 5e-4 : 1e-4;
}

// Tolerance of p_read, which has the same rounding errors: a decision this close to the threshold
// may differ.
double decision_tolerance(WeightType weights) { return score_tolerance(weights); }

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Whether rounding may have flipped the decision of this step. p_read explains only read or not
// read; the choice between smaller levels and sampled decisions must be equal.
bool may_flip(const Step& stored, const Step& got, const Policy& policy, const ReaderSpec& reader,
              double tolerance) {
  // Fractions that differ in the last bit may be rounded up to different numbers of units.
  if (reader.kind == ReaderKind::vcrnn) return std::abs(stored.width - got.width) <= 1;
  const bool read_differs =
      (stored.width == reader.hidden_size) != (got.width == reader.hidden_size);
  const bool binary_argmax = reader.levels() == 2 && policy.rule == Policy::Rule::argmax;
  if (!read_differs || (policy.rule != Policy::Rule::threshold && !binary_argmax)) return false;
  const double threshold = binary_argmax ? 0.5 : static_cast<double>(policy.threshold);
  return std::abs(static_cast<double>(stored.p_read) - threshold) <= tolerance;
}

// Result of comparing a trace with the stored one.
struct Comparison {
  std::string difference;  // empty when there is none
  bool flipped = false;    // a decision at the threshold differs, so the rest is not comparable
};

Comparison compare_steps(const Pass& stored, const Pass& got, const Policy& policy,
                         const ModelSpec& spec) {
  const std::string where = "pass " + stored.reader;
  if (got.reader != stored.reader || got.steps.size() != stored.steps.size()) {
    return {where + " has " + std::to_string(stored.steps.size()) + " stored steps, now " +
            got.reader + " took " + std::to_string(got.steps.size())};
  }
  for (std::size_t i = 0; i < stored.steps.size(); ++i) {
    const Step& stored_step = stored.steps[i];
    const Step& got_step = got.steps[i];
    if (stored_step.width == got_step.width) continue;
    if (may_flip(stored_step, got_step, policy, spec.reader, decision_tolerance(spec.weight_type)))
      return {{}, true};
    return {where + ", word " + std::to_string(i) + ": updated " + std::to_string(got_step.width) +
            " units, stored " + std::to_string(stored_step.width) + " (p_read " +
            format_number(got_step.p_read) + ", stored " + format_number(stored_step.p_read) + ")"};
  }
  return {};
}

Comparison compare_traces(const Probe& probe, const Reading& got, const ModelSpec& spec) {
  if (got.trace.size() != probe.trace.size()) {
    return {std::to_string(got.trace.size()) + " passes, stored " +
            std::to_string(probe.trace.size())};
  }
  for (std::size_t i = 0; i < got.trace.size(); ++i) {
    Comparison comparison = compare_steps(probe.trace[i], got.trace[i], probe.policy, spec);
    if (!comparison.difference.empty() || comparison.flipped) return comparison;
  }
  return {};
}

// What a score is at most in magnitude: a number may be anything. Hidden states are within -1 to 1.
double score_bound(const ModelFile& file) {
  if (file.spec.output != OutputActivation::linear) return 1;
  double bound = 0;
  for (const char* name : {"head.weight", "head.bias"}) {
    for (const float value : to_floats(file, name)) bound += std::abs(static_cast<double>(value));
  }
  return std::max(bound, std::numeric_limits<double>::min());
}

double score_error(const Probe& probe, const Reading& got) {
  double worst = 0;
  for (std::size_t i = 0; i < got.scores.size(); ++i) {
    const double error = std::abs(static_cast<double>(got.scores[i]) - probe.scores[i]);
    // NaN would pass every comparison.
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

// Describes the first difference between a probe and the current reading; empty when they agree.
std::string compare(const Probe& probe, const Reading& got, const ModelFile& file,
                    double& worst_error) {
  const ModelSpec& spec = file.spec;
  if (got.scores.size() != probe.scores.size()) {
    return std::to_string(got.scores.size()) + " scores, stored " +
           std::to_string(probe.scores.size());
  }
  const Comparison trace = compare_traces(probe, got, spec);
  if (!trace.difference.empty() || trace.flipped) return trace.difference;
  const double error = score_error(probe, got);
  worst_error = std::max(worst_error, error);
  if (got.answer.index != probe.index) {
    return "answers " + std::to_string(got.answer.index) + " ('" + got.answer.text + "'), stored " +
           std::to_string(probe.index);
  }
  if (got.answer.begin != probe.begin || got.answer.end != probe.end) {
    return "answers with bytes " + std::to_string(got.answer.begin) + " to " +
           std::to_string(got.answer.end) + ", stored " + std::to_string(probe.begin) + " to " +
           std::to_string(probe.end);
  }
  const double tolerance = score_tolerance(spec.weight_type) * score_bound(file);
  if (error > tolerance) {
    return "a score differs by " + format_number(error) + ", expected at most " +
           format_number(tolerance);
  }
  return {};
}

// A query of the model's own words, which every valid model can read.
Query vocabulary_query(const ModelFile& file) {
  constexpr std::size_t kWords = 200;
  const std::size_t count = std::min(file.vocabulary.size(), kWords);
  Query query;
  for (std::size_t i = 0; i < count; ++i) query.text += std::string(file.vocabulary[i]) + " ";
  if (file.spec.net != NetKind::classifier) query.question = query.text + "?";
  if (file.spec.net == NetKind::cloze) query.choices = {query.text, "?"};
  return query;
}

}  // namespace

Result<VerifyReport> verify(const Model& model) {
  const ModelImpl& impl = model_impl(model);
  const ModelFile& file = impl.resources->file;
  if (impl.spec != file.spec) {
    return fail(Fault::argument, file.name +
                                     ": the stored probes belong to the model, not to its dense "
                                     "baseline; verify the model itself");
  }
  SKIM_RETURN_IF_ERROR(check_data_checksum(file));
  VerifyReport report;
  Session session(model);
  SKIM_RETURN_IF_ERROR(session.read(vocabulary_query(file)));
  for (const Probe& probe : file.probes) {
    const std::string where = "probe " + std::to_string(report.probes++) + ": ";
    const Result<Reading> got = session.read(probe.query, probe.policy);
    const std::string message =
        got ? compare(probe, *got, file, report.max_score_error) : got.error().message;
    if (message.empty()) continue;
    ++report.failed;
    report.messages.push_back(where + message);
  }
  return report;
}

}  // namespace skim

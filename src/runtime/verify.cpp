#include "skim/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "runtime/contents.h"
#include "skim/session.h"

namespace skim {
namespace {

// Scores may differ from the stored ones because another machine adds in another order and another
// number of lanes: rounding, a few 1e-6 after a long text of f32. bf16 also rounds the state to 13
// bits and int8 to 7, and a difference of one rounding can tip one of them: 1e-4 and 3e-3 in the
// state.
double score_tolerance(WeightType weights) {
  if (weights == WeightType::int8) return 5e-3;
  return weights == WeightType::bf16 ? 5e-4 : 1e-4;
}

// The same roundings reach p_read: a decision this close to the threshold may fall either way.
double decision_tolerance(WeightType weights) { return score_tolerance(weights); }

std::string six_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Whether another machine may have decided this step the other way. Only reading or not reading can
// be told from p_read; a choice between smaller levels, or a drawn one, must be the same.
bool may_tip(const Step& stored, const Step& got, const Policy& policy, const ReaderSpec& reader,
             double tolerance) {
  // Shares that differ in the last bit may be rounded up to different numbers of units.
  if (reader.kind == ReaderKind::vary) return std::abs(stored.width - got.width) <= 1;
  const bool one_read = (stored.width == reader.hidden) != (got.width == reader.hidden);
  const bool two_ways = reader.levels() == 2 && policy.rule == Policy::Rule::argmax;
  if (!one_read || (policy.rule != Policy::Rule::threshold && !two_ways)) return false;
  const double threshold = two_ways ? 0.5 : static_cast<double>(policy.read_above);
  return std::abs(static_cast<double>(stored.p_read) - threshold) <= tolerance;
}

// What came of comparing one thing with the stored one.
struct Finding {
  std::string difference;  // empty when there is none
  bool tipped = false;  // a decision at the threshold fell otherwise: the rest is another reading
};

Finding compare_steps(const Pass& stored, const Pass& got, const Policy& policy,
                      const ModelSpec& spec) {
  const std::string where = "pass " + stored.reader;
  if (got.reader != stored.reader || got.steps.size() != stored.steps.size()) {
    return {where + " has " + std::to_string(stored.steps.size()) + " stored steps, now " +
            got.reader + " took " + std::to_string(got.steps.size())};
  }
  for (std::size_t i = 0; i < stored.steps.size(); ++i) {
    const Step& was = stored.steps[i];
    const Step& is = got.steps[i];
    if (was.width == is.width) continue;
    if (may_tip(was, is, policy, spec.reader, decision_tolerance(spec.weights))) return {{}, true};
    return {where + ", word " + std::to_string(i) + ": updated " + std::to_string(is.width) +
            " units, stored " + std::to_string(was.width) + " (p_read " + six_digits(is.p_read) +
            ", stored " + six_digits(was.p_read) + ")"};
  }
  return {};
}

Finding compare_traces(const Probe& probe, const Reading& got, const ModelSpec& spec) {
  if (got.trace.size() != probe.trace.size()) {
    return {std::to_string(got.trace.size()) + " passes, stored " +
            std::to_string(probe.trace.size())};
  }
  for (std::size_t i = 0; i < got.trace.size(); ++i) {
    Finding finding = compare_steps(probe.trace[i], got.trace[i], probe.policy, spec);
    if (!finding.difference.empty() || finding.tipped) return finding;
  }
  return {};
}

double score_error(const Probe& probe, const Reading& got) {
  double worst = 0;
  for (std::size_t i = 0; i < got.scores.size(); ++i) {
    const double error = std::abs(static_cast<double>(got.scores[i]) - probe.scores[i]);
    // NaN is as wrong as can be, and would pass every comparison.
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

// What differs between a stored answer and the one got now; empty when nothing does.
std::string compare(const Probe& probe, const Reading& got, const ModelSpec& spec,
                    double& worst_error) {
  if (got.scores.size() != probe.scores.size()) {
    return std::to_string(got.scores.size()) + " scores, stored " +
           std::to_string(probe.scores.size());
  }
  const Finding trace = compare_traces(probe, got, spec);
  if (!trace.difference.empty() || trace.tipped) return trace.difference;
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
  if (error > score_tolerance(spec.weights)) {
    return "a score differs by " + six_digits(error) + ", allowed are " +
           six_digits(score_tolerance(spec.weights));
  }
  return {};
}

}  // namespace

Result<VerifyReport> verify(const Model& model) {
  const ModelContents& contents = model.contents();
  const ModelFile& file = contents.open->file;
  if (contents.spec != file.spec) {
    return fail(Fault::argument, file.name +
                                     ": the stored answers are those of the model, not of its "
                                     "plain twin; verify the model");
  }
  if (checksum_of_data(file.data) != file.data_checksum) {
    return fail(Fault::format, file.name +
                                   ": the weights do not match their checksum, the file is "
                                   "damaged; fetch or make it again");
  }
  VerifyReport report;
  Session session(model);
  for (const Probe& probe : file.probes) {
    const std::string where = "probe " + std::to_string(report.probes++) + ": ";
    const Result<Reading> got = session.ask(probe.query, probe.policy);
    const std::string message =
        got ? compare(probe, *got, contents.spec, report.worst_score_error) : got.error().message;
    if (message.empty()) continue;
    ++report.failed;
    report.messages.push_back(where + message);
  }
  return report;
}

}  // namespace skim

#include "eval/temperature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/result_macros.h"
#include "eval/tally.h"
#include "eval/test_set.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

// Logits to fit to; evenly spaced texts of larger data sets are enough.
constexpr std::size_t kMaxLogits = std::size_t{1} << 24U;

// The logits of all texts and their true labels.
struct Scored {
  std::span<const float> logits;
  std::size_t labels = 0;
  std::span<const int> truth;

  std::span<const float> row(std::size_t text) const {
    return logits.subspan(text * labels, labels);
  }
};

// Mean and variance of a text's logits under softmax(scale * logits), and the logarithm of the sum
// of exp(scale * logits).
struct Moments {
  double mean = 0, variance = 0, log_sum = 0;
};

Moments moments(std::span<const float> logits, double scale) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0, first = 0, second = 0;
  for (const float logit : logits) {
    const double distance = logit - highest;
    const double weight = std::exp(scale * distance);
    sum += weight;
    first += weight * distance;
    second += weight * distance * distance;
  }
  const double mean = first / sum;
  return {highest + mean, second / sum - mean * mean, scale * highest + std::log(sum)};
}

// First and second derivative of the negative log likelihood with respect to the scale, 1 /
// temperature. It is convex, so the first one never decreases.
struct Derivatives {
  double first = 0, second = 0;
};

Derivatives derivatives(const Scored& scored, double scale) {
  const double unknown = 1 / (static_cast<double>(scored.truth.size()) + 2);
  Derivatives sum;
  for (std::size_t text = 0; text < scored.truth.size(); ++text) {
    const std::span<const float> row = scored.row(text);
    double total = 0;
    for (const float logit : row) total += logit;
    const double target = (1 - unknown) * row[static_cast<std::size_t>(scored.truth[text])] +
                          unknown * total / static_cast<double>(row.size());
    const Moments at = moments(row, scale);
    sum.first += at.mean - target;
    sum.second += at.variance;
  }
  return sum;
}

// The scale at which the first derivative is zero: Newton's method within a bracket, which is
// bisected where a step would leave it.
double find_scale(const Scored& scored) {
  constexpr int kMaxSteps = 100;
  constexpr double kPrecision = 1e-7;
  double low = 1 / kMaxTemperature, high = 1 / kMinTemperature, scale = 1;
  for (int step = 0; step < kMaxSteps && high - low > kPrecision * low; ++step) {
    const Derivatives at = derivatives(scored, scale);
    if (at.first == 0) return scale;
    (at.first < 0 ? low : high) = scale;
    const double newton = scale - at.first / at.second;
    const double next = newton > low && newton < high ? newton : std::sqrt(low * high);
    if (std::abs(next - scale) < kPrecision * scale) return next;
    scale = next;
  }
  return scale;
}

double negative_log_likelihood(const Scored& scored, double scale) {
  double sum = 0;
  for (std::size_t text = 0; text < scored.truth.size(); ++text) {
    const std::span<const float> row = scored.row(text);
    sum += moments(row, scale).log_sum - scale * row[static_cast<std::size_t>(scored.truth[text])];
  }
  return sum / static_cast<double>(scored.truth.size());
}

}  // namespace

TemperatureFit fit_temperature(std::span<const float> logits, std::size_t labels,
                               std::span<const int> truth) {
  const Scored scored{logits, labels, truth};
  constexpr double kDecimals = 1e4;
  TemperatureFit fit;
  fit.temperature = std::clamp(std::round(kDecimals / find_scale(scored)) / kDecimals,
                               kMinTemperature, kMaxTemperature);
  fit.nll_before = negative_log_likelihood(scored, 1);
  fit.nll = negative_log_likelihood(scored, 1 / fit.temperature);
  return fit;
}

Result<TemperatureFit> fit_temperature(const Model& model, std::span<const Query> queries,
                                       std::span<const int> truth, int threads,
                                       const Progress& progress) {
  if (!model.spec().is_softmax_classifier())
    return fail(Fault::argument, model.name() + ": only a classifier has a temperature");
  if (queries.empty()) return fail(Fault::argument, "there are no texts to fit the temperature to");
  const std::size_t labels = model.spec().labels.size();
  std::vector<Query> some;
  std::vector<int> some_truth;
  for (const std::size_t i : evenly_spaced_indices(queries.size(), kMaxLogits / labels)) {
    some.push_back(queries[i]);
    some_truth.push_back(truth[i]);
  }
  std::vector<float> logits;
  logits.reserve(some.size() * labels);
  Batch batch(model, threads);
  SKIM_RETURN_IF_ERROR(tally(batch, some, {}, progress, [&logits](const Reading& reading) {
    logits.insert(logits.end(), reading.logits.begin(), reading.logits.end());
  }));
  return fit_temperature(logits, labels, some_truth);
}

}  // namespace skim

#include "eval/temperature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "eval/sample_texts.h"

namespace skim {
namespace {

// Texts whose labels are drawn from softmax(logits / temperature).
struct Drawn {
  std::vector<float> logits;
  std::vector<int> truth;
};

Drawn draw(double temperature, std::size_t texts, std::size_t labels) {
  std::mt19937_64 bits(7);
  const auto uniform = [&bits] { return static_cast<double>(bits() >> 11U) * 0x1p-53; };
  Drawn drawn;
  for (std::size_t text = 0; text < texts; ++text) {
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t label = 0; label < labels; ++label) {
      drawn.logits.push_back(static_cast<float>(10 * uniform() - 5));
      sum += weights.emplace_back(std::exp(drawn.logits.back() / temperature));
    }
    double left = uniform() * sum;
    std::size_t label = 0;
    while (label + 1 < labels && (left -= weights[label]) > 0) ++label;
    drawn.truth.push_back(static_cast<int>(label));
  }
  return drawn;
}

TEST(FitTemperature, FindsTheTemperatureThatLabelsWereDrawnAt) {
  for (const double temperature : {0.5, 1.0, 2.5}) {
    const Drawn drawn = draw(temperature, 20'000, 3);
    const TemperatureFit fit = fit_temperature(drawn.logits, 3, drawn.truth);
    // Four standard errors of a fit to this many texts.
    EXPECT_NEAR(fit.temperature, temperature, 0.05 * temperature);
    EXPECT_LE(fit.nll, fit.nll_before);
  }
}

TEST(FitTemperature, HasTheLowestLikelihoodAround) {
  const Drawn drawn = draw(2, 1000, 2);
  const TemperatureFit fit = fit_temperature(drawn.logits, 2, drawn.truth);
  const auto nll = [&](double temperature) {
    double sum = 0;
    for (std::size_t i = 0; i < drawn.truth.size(); ++i) {
      const double margin = drawn.logits[2 * i] - drawn.logits[2 * i + 1];
      sum += std::log1p(std::exp((drawn.truth[i] == 0 ? -margin : margin) / temperature));
    }
    return sum / static_cast<double>(drawn.truth.size());
  };
  EXPECT_NEAR(fit.nll, nll(fit.temperature), 1e-9);
  EXPECT_NEAR(fit.nll_before, nll(1), 1e-9);
  // Far enough for the prior of an unknown label not to matter.
  EXPECT_LT(fit.nll, nll(fit.temperature * 1.1));
  EXPECT_LT(fit.nll, nll(fit.temperature / 1.1));
}

TEST(FitTemperature, FewTextsWithoutAnErrorDoNotGiveCertainty) {
  const std::vector<float> logits = {4, 0, 0, 4, 4, 0};
  const std::vector<int> truth = {0, 1, 0};
  const TemperatureFit fit = fit_temperature(logits, 2, truth);
  EXPECT_GT(fit.temperature, 1);  // 1 / (1 + exp(-4)) is more than three texts can show
}

TEST(FitTemperature, ExtremesStayInTheRange) {
  const std::vector<float> wrong = {4, 0, 4, 0}, equal = {1, 1, 1, 1};
  const std::vector<int> truth = {1, 1};
  EXPECT_EQ(fit_temperature(wrong, 2, truth).temperature, 20);
  EXPECT_EQ(fit_temperature(equal, 2, truth).temperature, 1);
  const std::vector<float> tiny(2000, 1e-6F);
  std::vector<float> right = tiny;
  for (std::size_t i = 0; i < right.size(); i += 2) right[i] = 1e-3F;
  EXPECT_EQ(fit_temperature(right, 2, std::vector<int>(1000, 0)).temperature, 0.05);
}

TEST(FitTemperature, DoesNotDependOnThreadsOrOnTheStoredTemperature) {
  ModelDraft draft = sample_draft(sample_spec());
  const TestSet set = make_test_set(sample_data(60), draft.spec).value();
  const auto one = fit_temperature(make_model(draft), set.queries, set.truth, 1);
  draft.calibration.temperature = 3;
  const auto two = fit_temperature(make_model(draft), set.queries, set.truth, 2);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->temperature, two->temperature);
  EXPECT_EQ(one->nll, two->nll);
}

TEST(FitTemperature, FailsWithoutTextsOrLabels) {
  EXPECT_FALSE(fit_temperature(sample_model(), {}, {}));
  ModelSpec spec = sample_spec();
  spec.net = NetKind::span;
  spec.labels.clear();
  const auto fitted = fit_temperature(make_model(sample_draft(spec)), sample_queries(1), {});
  ASSERT_FALSE(fitted);
  EXPECT_NE(fitted.error().message.find("only a classifier"), std::string::npos);
}

}  // namespace
}  // namespace skim

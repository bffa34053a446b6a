// The temperature of a classifier changes its scores and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "file/probes.h"
#include "skim/batch.h"
#include "skim/session.h"
#include "skim/verify.h"
#include "tests/support/model_specs.h"
#include "tests/support/planted_model.h"

namespace skim {
namespace {

ModelDraft sample(double temperature) {
  PlantedModelOptions options;
  options.hidden_size = 24;
  options.embedding_size = 12;
  options.pooling = Pooling::attention;
  ModelDraft draft = planted_draft(options).value();
  set_temperature(draft, temperature);
  return draft;
}

const Query kQuery{"the plot was not bad but a good film is rare", {}, {}};

Reading read(const Model& model) { return Session(model).read(kQuery).value(); }

TEST(Temperature, DividesTheLogitsOfTheScoresOnly) {
  const Reading cold = read(load_model(sample(1))), warm = read(load_model(sample(2.5)));
  EXPECT_EQ(warm.logits, cold.logits);
  EXPECT_EQ(warm.answer.index, cold.answer.index);
  EXPECT_EQ(warm.trace[0].steps, cold.trace[0].steps);
  double sum = 0;
  for (const float logit : warm.logits) sum += std::exp(logit / 2.5);
  for (std::size_t i = 0; i < warm.scores.size(); ++i) {
    EXPECT_NEAR(warm.scores[i], std::exp(warm.logits[i] / 2.5) / sum, 1e-6);  // rounding of floats
  }
  EXPECT_EQ(warm.answer.score, warm.scores[static_cast<std::size_t>(warm.answer.index)]);
}

TEST(Temperature, IsThatOfBatchesStreamsAndTheDenseBaselineToo) {
  const Model model = load_model(sample(2.5));
  const Reading expected = read(model);
  std::vector<Query> queries(5, kQuery);
  std::vector<Result<Reading>> readings(5);
  Batch(model, 2).read(queries, {}, readings);
  for (const Result<Reading>& each : readings) EXPECT_EQ(each->scores, expected.scores);
  Session stream(model);
  ASSERT_TRUE(stream.begin());
  for (const TokenSpan& word : expected.words)
    ASSERT_TRUE(stream.push(kQuery.text.substr(word.begin, word.end - word.begin)));
  EXPECT_EQ(stream.answer()->scores, expected.scores);
  EXPECT_EQ(model.dense()->calibration().temperature, 2.5);
  EXPECT_NE(read(*model.dense()).scores, read(*load_model(sample(1)).dense()).scores);
}

TEST(Temperature, ProbesOfADraftAreConvertedToIt) {
  for (const double temperature : {0.5, 3.0}) {
    const Result<VerifyReport> verified = verify(load_model(sample(temperature)));
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_GT(verified->probes, 0);
    EXPECT_TRUE(verified->ok()) << verified->messages.front();
  }
}

}  // namespace
}  // namespace skim

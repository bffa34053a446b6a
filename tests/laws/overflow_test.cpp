// Models whose weights are finite but so large that the forward pass overflows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "skim/batch.h"
#include "skim/session.h"
#include "skim/verify.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::HasSubstr;

constexpr std::string_view kAllTensors;

ModelSpec skim_spec() {
  ModelSpec spec;
  spec.embedding_size = 50;
  spec.reader.hidden_size = 100;
  spec.reader.skim_sizes = {10};
  return spec;
}

ModelSpec spec_of(NetKind net) {
  ModelSpec spec = skim_spec();
  spec.net = net;
  spec.char_cnn = {.embedding_size = 3, .num_filters = 6, .kernel_size = 5};
  return spec;
}

// A random model in which the tensors with `part` in their name are close to the largest float.
Model overflowing_model(const ModelSpec& spec, std::string_view part) {
  ModelDraft draft = random_draft(spec, 5);
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (tensor.name.find(part) == std::string::npos) continue;
    for (float& value : tensor.values) value = std::copysign(3e38F, value);
  }
  return load_model(draft);
}

Query query_for(const ModelSpec& spec) {
  Query query{random_text(spec, 40, 1), {}, {}};
  if (spec.net != NetKind::classifier) query.question = random_text(spec, 6, 2);
  if (spec.net == NetKind::cloze)
    query.choices = {random_text(spec, 1, 3), random_text(spec, 2, 4)};
  return query;
}

std::vector<Policy> policies() {
  std::vector<Policy> list;
  for (const float threshold : {0.0F, 0.5F, 1.0F}) list.push_back({.threshold = threshold});
  list.push_back({.rule = Policy::Rule::argmax});
  list.push_back({.rule = Policy::Rule::sample});
  return list;
}

bool is_finite(const Reading& reading) {
  const auto finite = [](float value) { return std::isfinite(value); };
  return std::all_of(reading.scores.begin(), reading.scores.end(), finite) &&
         std::all_of(reading.trace.begin(), reading.trace.end(), [](const Pass& pass) {
           return std::all_of(pass.steps.begin(), pass.steps.end(),
                              [](const Step& step) { return std::isfinite(step.p_read); });
         });
}

// Checks a model with every policy; returns how many of the readings failed.
int count_errors(const Model& model) {
  int errors = 0;
  Session session(model);
  for (const Policy& policy : policies()) {
    const Result<Reading> reading = session.read(query_for(model.spec()), policy);
    if (reading) {
      EXPECT_TRUE(is_finite(*reading)) << describe(model.spec());
    } else {
      EXPECT_EQ(reading.error().fault, Fault::format);
      EXPECT_THAT(reading.error().message, HasSubstr("model: the model computes numbers"));
      ++errors;
    }
  }
  return errors;
}

TEST(Overflow, EveryReadingIsFiniteOrAnErrorThatNamesTheModel) {
  int errors = 0;
  for (const ModelSpec& spec : sampled_model_specs(5))
    errors += count_errors(overflowing_model(spec, kAllTensors));
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf})
    errors += count_errors(overflowing_model(spec_of(net), kAllTensors));
  EXPECT_GT(errors, 100);
}

// At threshold 1 few units of the state are not zero, so that the sums may be in range.
TEST(Overflow, OfScoresIsAnErrorInsteadOfNull) {
  EXPECT_GE(count_errors(overflowing_model(skim_spec(), "head.weight")), 4);
  EXPECT_GE(count_errors(overflowing_model(spec_of(NetKind::cloze), "choice.weight")), 4);
  EXPECT_GE(count_errors(overflowing_model(spec_of(NetKind::span), "end.weight")), 4);
  EXPECT_GE(count_errors(overflowing_model(spec_of(NetKind::bidaf), "end.weight")), 4);
}

TEST(Overflow, OfDecisionsIsFiniteOrAnError) {
  ModelSpec spec = skim_spec();
  static_cast<void>(count_errors(overflowing_model(spec, "decision.")));
  spec.reader.skim_sizes = {10, 5};
  EXPECT_GT(count_errors(overflowing_model(spec, "decision.")), 0);
  spec.reader.skim_sizes.clear();
  for (const ReaderKind kind : {ReaderKind::lstm_jump, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
    spec.reader.kind = kind;
    for (const std::string_view part : {"jump.", "update.", "scheduler."})
      static_cast<void>(count_errors(overflowing_model(spec, part)));
  }
}

TEST(Overflow, IsAnErrorInABatch) {
  const Model model = overflowing_model(skim_spec(), "head.weight");
  const std::vector<Query> queries(3, query_for(model.spec()));
  std::vector<Result<Reading>> readings(queries.size());
  Batch(model, 2).read(queries, {}, readings);
  for (const Result<Reading>& reading : readings) EXPECT_FALSE(reading.has_value());
}

TEST(Overflow, IsAnErrorInStreamingInference) {
  Session session(overflowing_model(skim_spec(), "head.weight"));
  ASSERT_TRUE(session.begin());
  for (std::size_t i = 0; i < 40; ++i) ASSERT_TRUE(session.push(synthetic_word(i)));
  EXPECT_FALSE(session.answer().has_value());

  ModelSpec spec = skim_spec();
  spec.reader.skim_sizes = {10, 5};
  Session undecided(overflowing_model(spec, "decision."));
  ASSERT_TRUE(undecided.begin());
  std::size_t errors = 0;
  for (std::size_t i = 0; i < 40; ++i) errors += undecided.push(synthetic_word(i)) ? 0U : 1U;
  EXPECT_GT(errors, 0U);
}

TEST(Overflow, FailsVerificationWithoutProbes) {
  const Result<VerifyReport> report = verify(overflowing_model(skim_spec(), "head.weight"));
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().message, HasSubstr("not finite"));
  for (const NetKind net : {NetKind::classifier, NetKind::cloze, NetKind::span, NetKind::bidaf})
    EXPECT_TRUE(verify(load_model(random_draft(spec_of(net), 1))).value().ok());
}

}  // namespace
}  // namespace skim

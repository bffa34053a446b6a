// Multi-label and regression models: what changes with the output activation, and what does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/batch.h"
#include "skim/session.h"
#include "skim/verify.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A classifier with random weights; three labels unless the output is a number.
ModelDraft draft_with(OutputActivation output, ReaderKind kind = ReaderKind::skim) {
  ModelSpec spec;
  spec.tokenizer = TokenizerKind::whitespace;
  spec.vocab_size = 40;
  spec.embedding_size = 11;
  spec.reader.kind = kind;
  spec.reader.input_size = 11;
  spec.reader.hidden_size = 19;
  spec.reader.skim_sizes = kind == ReaderKind::skim ? std::vector{5} : std::vector<int>{};
  spec.pooling = Pooling::attention;
  spec.output = output;
  if (output != OutputActivation::linear) spec.labels = {"no", "maybe", "yes"};
  return random_draft(spec, 3);
}

std::vector<Query> random_queries() {
  std::vector<Query> queries;
  const ModelSpec spec = draft_with(OutputActivation::softmax).spec;
  for (std::uint64_t i = 0; i < 40; ++i) queries.push_back({random_text(spec, i % 13, i), {}, {}});
  return queries;
}

void expect_equal_answers(const Reading& left, const Reading& right) {
  EXPECT_EQ(left.scores, right.scores);
  EXPECT_EQ(left.labels, right.labels);
  EXPECT_EQ(left.answer.text, right.answer.text);
  EXPECT_EQ(left.answer.index, right.answer.index);
  EXPECT_EQ(left.answer.value, right.answer.value);
}

TEST(Outputs, LogitsDoNotDependOnTheActivation) {
  Session one(load_model(draft_with(OutputActivation::softmax)));
  Session many(load_model(draft_with(OutputActivation::sigmoid)));
  for (const Query& query : random_queries()) {
    const Reading left = one.read(query).value(), right = many.read(query).value();
    EXPECT_EQ(left.logits, right.logits);
    EXPECT_EQ(left.answer.index, right.answer.index);
    EXPECT_TRUE(left.labels.empty());
    for (std::size_t i = 0; i < right.scores.size(); ++i)
      EXPECT_FLOAT_EQ(right.scores[i], 1 / (1 + std::exp(-right.logits[i])));
  }
}

TEST(Outputs, ATextHasTheLabelsAboveTheirThresholds) {
  ModelDraft draft = draft_with(OutputActivation::sigmoid);
  const Query query{"w", {}, {}};
  const Reading plain = Session(load_model(draft)).read(query).value();
  std::vector<int> expected;
  for (int i = 0; i < 3; ++i) {
    if (plain.scores[static_cast<std::size_t>(i)] > 0.5F) expected.push_back(i);
  }
  EXPECT_EQ(plain.labels, expected);
  draft.calibration.label_thresholds = {0, plain.scores[1], 0};
  const Model model = load_model(draft);
  EXPECT_THAT(Session(model).read(query).value().labels, ElementsAre(0, 2));
  EXPECT_THAT(model.label_thresholds(), ElementsAre(0, plain.scores[1], 0));
  EXPECT_THAT(model.dense().value().label_thresholds(), ElementsAre(0, plain.scores[1], 0));
}

TEST(Outputs, ANumberIsTheLogit) {
  Session session(load_model(draft_with(OutputActivation::linear)));
  for (const Query& query : random_queries()) {
    const Reading reading = session.read(query).value();
    ASSERT_EQ(reading.logits.size(), 1U);
    EXPECT_EQ(reading.scores, reading.logits);
    EXPECT_EQ(reading.answer.value, reading.logits[0]);
    EXPECT_EQ(std::stof(reading.answer.text), reading.answer.value);
    EXPECT_EQ(reading.answer.index, -1);
    EXPECT_EQ(reading.answer.score, 0);
  }
}

TEST(Outputs, BatchesAndStreamsEqualSingleTexts) {
  for (const OutputActivation output : {OutputActivation::sigmoid, OutputActivation::linear}) {
    const Model model = load_model(draft_with(output));
    const std::vector<Query> queries = random_queries();
    std::vector<Result<Reading>> together(queries.size());
    Batch(model, 2).read(queries, {}, together);
    Session session(model);
    Tokenizer tokenizer = model.tokenizer();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Reading alone = session.read(queries[i]).value();
      expect_equal_answers(together[i].value(), alone);
      ASSERT_TRUE(session.begin().has_value());
      for (const TokenSpan& word : tokenizer.tokenize(queries[i].text)) {
        const std::string text = queries[i].text.substr(word.begin, word.end - word.begin);
        ASSERT_TRUE(session.push(text).has_value());
      }
      expect_equal_answers(session.answer().value(), alone);
    }
  }
}

TEST(Outputs, AReusedReadingKeepsNothing) {
  Reading reading;
  const Query query{"w", {}, {}};
  ModelDraft all = draft_with(OutputActivation::sigmoid);
  all.calibration.label_thresholds = {0, 0, 0};
  ASSERT_TRUE(Session(load_model(all)).read(query, {}, reading).has_value());
  EXPECT_EQ(reading.labels.size(), 3U);
  const Model number = load_model(draft_with(OutputActivation::linear));
  ASSERT_TRUE(Session(number).read(query, {}, reading).has_value());
  EXPECT_TRUE(reading.labels.empty());
  const Model label = load_model(draft_with(OutputActivation::softmax));
  ASSERT_TRUE(Session(label).read(query, {}, reading).has_value());
  EXPECT_EQ(reading.answer.value, 0);
}

// The tolerance of a number is relative to what the weights can produce.
TEST(Outputs, VerifyScalesWithTheNumber) {
  ModelDraft draft = draft_with(OutputActivation::linear);
  const auto verified_with = [&](float shift) {
    ModelDraft changed = draft;
    Probe probe;
    probe.query.text = "w";
    const Reading reading = Session(load_model(draft)).read(probe.query).value();
    probe.scores = {reading.scores[0] + shift};
    probe.trace = reading.trace;
    changed.probes = {probe};
    return verify(load_model(changed)).value().ok();
  };
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (!tensor.name.starts_with("head.")) continue;
    for (float& value : tensor.values) value *= 1e6F;
  }
  EXPECT_TRUE(verified_with(0));
  EXPECT_TRUE(verified_with(1));
  EXPECT_FALSE(verified_with(1e5F));
}

TEST(Outputs, TheFileChecksLabelThresholds) {
  const auto error = [](OutputActivation output, std::vector<float> thresholds) {
    ModelDraft draft = draft_with(output);
    draft.calibration.label_thresholds = std::move(thresholds);
    const auto bytes = to_bytes(draft);
    return bytes ? std::string("none") : bytes.error().message;
  };
  EXPECT_EQ(error(OutputActivation::sigmoid, {0.1F, 0.5F, 1}), "none");
  EXPECT_THAT(error(OutputActivation::sigmoid, {0.1F, 0.5F}), HasSubstr("2 entries for 3 labels"));
  EXPECT_THAT(error(OutputActivation::sigmoid, {0.1F, 0.5F, 1.5F}), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(error(OutputActivation::softmax, {0.1F, 0.5F, 1}),
              HasSubstr("must be absent unless output is sigmoid"));
}

}  // namespace
}  // namespace skim

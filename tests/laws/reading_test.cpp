// Invariants of reading, for models of all specs with random weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skim/session.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

Query make_query(std::string text) { return {std::move(text), {}, {}}; }

Reading read(const Model& model, const std::string& text, Policy policy = {}) {
  Session session(model);
  Result<Reading> reading = session.read(make_query(text), policy);
  EXPECT_TRUE(reading.has_value());
  return reading ? std::move(*reading) : Reading{};
}

const std::vector<float>& tensor_values(const ModelDraft& draft, std::string_view name) {
  return std::find_if(draft.tensors.begin(), draft.tensors.end(),
                      [&](const ModelDraft::Tensor& tensor) { return tensor.name == name; })
      ->values;
}

void expect_same(const Reading& expected, const Reading& got) {
  EXPECT_EQ(expected.scores, got.scores);  // to the last bit
  EXPECT_EQ(expected.logits, got.logits);
  EXPECT_EQ(expected.answer.index, got.answer.index);
  EXPECT_EQ(expected.answer.text, got.answer.text);
  EXPECT_EQ(expected.costs, got.costs);
  ASSERT_EQ(expected.trace.size(), got.trace.size());
  for (std::size_t i = 0; i < expected.trace.size(); ++i) {
    EXPECT_EQ(expected.trace[i].reader, got.trace[i].reader);
    EXPECT_EQ(expected.trace[i].steps, got.trace[i].steps);
  }
}

TEST(ReadingLaws, ThresholdZeroEqualsTheDenseModel) {
  for (const ModelSpec& spec : sampled_model_specs(1)) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 1));
    const Result<Model> dense = model.dense();
    ASSERT_TRUE(dense.has_value());
    const std::string text = random_text(spec, 40, 1);
    const Reading reading = read(model, text, {.threshold = 0});
    const Reading expected = read(*dense, text);
    for (std::size_t i = 0; i < expected.scores.size(); ++i) {
      // Both add up the same products; the order may differ, so 40 steps of f32 rounding.
      ASSERT_NEAR(expected.scores[i], reading.scores[i], 1e-5F);
    }
    for (const Pass& pass : reading.trace) {
      for (const Step& step : pass.steps) ASSERT_EQ(step.width, spec.reader.hidden_size);
    }
  }
}

TEST(ReadingLaws, ThresholdOneUsesTheSmallestLevelOnly) {
  for (const ModelSpec& spec : sampled_model_specs(3)) {
    if (spec.reader.kind == ReaderKind::dense) continue;
    SCOPED_TRACE(describe(spec));
    const Reading reading =
        read(load_model(random_draft(spec, 2)), random_text(spec, 20, 2), {.threshold = 1});
    for (const Pass& pass : reading.trace) {
      ASSERT_EQ(pass.steps.size(), 20U);
      for (const Step& step : pass.steps) ASSERT_EQ(step.width, spec.reader.min_width());
    }
  }
}

TEST(ReadingLaws, LowerThresholdNeverReducesTheWidth) {
  for (const ModelSpec& spec : sampled_model_specs(5)) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 3));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string word = random_text(spec, 1, seed);
      int wider = spec.reader.hidden_size;
      for (const float threshold : {0.0F, 0.2F, 0.4F, 0.6F, 0.8F, 1.0F}) {
        const Reading reading = read(model, word, {.threshold = threshold});
        EXPECT_LE(reading.trace[0].steps[0].width, wider);
        wider = reading.trace[0].steps[0].width;
      }
    }
  }
}

TEST(ReadingLaws, StreamingEqualsReading) {
  for (const ModelSpec& spec : sampled_model_specs(1)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 4));
    const std::string text = random_text(spec, 30, 4);
    for (const Policy policy : {Policy{}, Policy{.rule = Policy::Rule::argmax},
                                Policy{.rule = Policy::Rule::sample, .seed = 9}}) {
      const Reading expected = read(model, text, policy);
      Session session(model);
      ASSERT_TRUE(session.begin(policy).has_value());
      for (std::size_t i = 0; i < expected.words.size(); ++i) {
        const TokenSpan& word = expected.words[i];
        const Result<Step> step =
            session.push(std::string_view(text).substr(word.begin, word.end - word.begin));
        ASSERT_TRUE(step.has_value());
        EXPECT_EQ(*step, expected.trace[0].steps[i]);
        if (i != 11) continue;
        EXPECT_TRUE(session.answer().has_value());  // has no side effect
      }
      const Result<Reading> got = session.answer();
      ASSERT_TRUE(got.has_value());
      expect_same(expected, *got);
      EXPECT_EQ(expected.words, got->words);  // one space apart, as in the text
    }
  }
}

TEST(ReadingLaws, TextsLongerThanAChunkEqualStreamedOnes) {
  // Nets read long texts in chunks; 2,500 words are two and a half chunks.
  for (const ModelSpec& spec : sampled_model_specs(37)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 5));
    const std::string text = random_text(spec, 2500, 5);
    const Reading expected = read(model, text);
    Session session(model);
    ASSERT_TRUE(session.begin({}).has_value());
    for (const TokenSpan& word : expected.words) {
      ASSERT_TRUE(session.push(std::string_view(text).substr(word.begin, word.end - word.begin)));
    }
    expect_same(expected, session.answer().value());
  }
}

// A draft whose backward readers have the weights of the forward readers.
ModelDraft mirrored_draft(const ModelSpec& spec) {
  ModelDraft draft = random_draft(spec, 6);
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    const std::size_t at = tensor.name.find(".backward.");
    if (at == std::string::npos) continue;
    std::string forward_name = tensor.name;
    forward_name.replace(at, std::string(".backward.").size(), ".forward.");
    const auto found = std::find_if(draft.tensors.begin(), draft.tensors.end(),
                                    [&](const auto& each) { return each.name == forward_name; });
    tensor.values = found->values;
  }
  return draft;
}

std::string reversed(const std::string& text) {
  std::string turned;
  for (std::size_t end = text.size();;) {
    const std::size_t space = text.rfind(' ', end - 1);
    const std::size_t begin = space == std::string::npos ? 0 : space + 1;
    turned += text.substr(begin, end - begin);
    if (begin == 0) return turned;
    turned += ' ';
    end = begin - 1;
  }
}

TEST(ReadingLaws, ReadingBackwardsEqualsReadingTheReversedText) {
  for (const ModelSpec& spec : sampled_model_specs(1)) {
    if (!spec.bidirectional || spec.num_layers > 1) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(mirrored_draft(spec));
    // Long enough to be read in chunks: the backward reader starts with the last one.
    const std::string text = random_text(spec, spec.pooling == Pooling::max ? 2100 : 30, 6);
    const Reading one = read(model, text);
    const Reading other = read(model, reversed(text));
    std::vector<Step> backward = one.trace[1].steps;
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(backward, other.trace[0].steps);
    std::vector<Step> forward = one.trace[0].steps;
    std::reverse(forward.begin(), forward.end());
    EXPECT_EQ(forward, other.trace[1].steps);
  }
}

TEST(ReadingLaws, WordsBeyondTheFoldedTablesGiveTheSameResult) {
  for (ModelSpec spec : sampled_model_specs(7)) {
    for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      spec.weight_type = weights;
      SCOPED_TRACE(describe(spec));
      const ModelDraft draft = random_draft(spec, 7);
      const std::string text = random_text(spec, 60, 7);
      const Reading expected = read(load_model(draft), text);
      expect_same(expected, read(load_model(draft, {.table_bytes = 0}), text));
      expect_same(expected, read(load_model(draft, {.table_bytes = 20000}), text));
    }
  }
}

TEST(ReadingLaws, SamplingIsReproducibleBySeed) {
  for (const ModelSpec& spec : sampled_model_specs(11)) {
    if (spec.reader.kind == ReaderKind::dense) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 8));
    const std::string text = random_text(spec, 200, 8);
    const Policy one{.rule = Policy::Rule::sample, .seed = 1};
    const Policy two{.rule = Policy::Rule::sample, .seed = 2};
    expect_same(read(model, text, one), read(model, text, one));
    EXPECT_NE(read(model, text, one).trace[0].steps, read(model, text, two).trace[0].steps);
  }
}

TEST(ReadingLaws, ReadersSampleIndependently) {
  ModelSpec spec;
  for (const ModelSpec& shape : sampled_model_specs(1)) {
    if (shape.bidirectional && shape.reader.kind == ReaderKind::skim) spec = shape;
  }
  const Model model = load_model(mirrored_draft(spec));
  std::string text = synthetic_word(1);
  for (int i = 0; i < 100; ++i) text += " " + synthetic_word(1);
  // A repeated word, so both directions read the same sequence with the same weights.
  const auto both_directions = [&](Policy policy) {
    Trace trace = read(model, text, policy).trace;
    std::reverse(trace[1].steps.begin(), trace[1].steps.end());
    return std::pair(trace[0].steps, trace[1].steps);
  };
  const auto [forward, backward] = both_directions({});
  EXPECT_EQ(forward, backward);
  const auto [one, other] = both_directions({.rule = Policy::Rule::sample, .seed = 1});
  EXPECT_NE(one, other);
}

TEST(ReadingLaws, SessionsAreStateless) {
  for (const ModelSpec& spec : sampled_model_specs(5)) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 9));
    Session session(model);
    Reading reading;
    for (const std::size_t words : {50U, 3U, 0U, 70U, 1U}) {
      const std::string text = random_text(spec, words, words);
      ASSERT_TRUE(session.read(make_query(text), {}, reading).has_value());
      expect_same(read(model, text), reading);
    }
  }
}

TEST(ReadingLaws, EmptyTextIsClassifiedByTheBias) {
  for (const ModelSpec& spec : sampled_model_specs(5)) {
    SCOPED_TRACE(describe(spec));
    const Reading reading = read(load_model(random_draft(spec, 10)), " ");
    EXPECT_TRUE(reading.words.empty());
    float sum = 0;
    for (const float score : reading.scores) sum += score;
    EXPECT_NEAR(sum, 1.0F, 1e-6F);  // rounding of three f32
    for (const Pass& pass : reading.trace) EXPECT_TRUE(pass.steps.empty());
    EXPECT_EQ(reading.costs.counted.flops, 0);
  }
}

TEST(ReadingLaws, ReadsAHundredThousandWords) {
  for (const ModelSpec& spec : sampled_model_specs(61)) {
    SCOPED_TRACE(describe(spec));
    const Reading reading =
        read(load_model(random_draft(spec, 11)), random_text(spec, 100'000, 11));
    EXPECT_EQ(reading.words.size(), 100'000U);
    float sum = 0;
    for (const float score : reading.scores) sum += score;
    EXPECT_NEAR(sum, 1.0F, 1e-6F);
    for (const Pass& pass : reading.trace) EXPECT_EQ(pass.steps.size(), 100'000U);
  }
}

TEST(ReadingLaws, ScoresAreTheSoftmaxOfTheLogits) {
  for (const ModelSpec& spec : sampled_model_specs(5)) {
    SCOPED_TRACE(describe(spec));
    const Reading reading = read(load_model(random_draft(spec, 6)), random_text(spec, 30, 7));
    ASSERT_EQ(reading.logits.size(), reading.scores.size());
    double sum = 0;
    for (const float logit : reading.logits) sum += std::exp(static_cast<double>(logit));
    for (std::size_t i = 0; i < reading.logits.size(); ++i) {
      const double expected = std::exp(static_cast<double>(reading.logits[i])) / sum;
      EXPECT_NEAR(reading.scores[i], expected, 1e-6);  // float rounding of exp and division
    }
  }
}

TEST(ReadingLaws, HeadOfTheFinalStateGivesTheLogitsOfLastPooling) {
  for (const bool bidirectional : {false, true}) {
    ModelSpec spec = sampled_model_specs(1).front();
    spec.pooling = Pooling::last;
    spec.bidirectional = bidirectional;
    const ModelDraft draft = random_draft(spec, 8);
    const Model model = load_model(draft);
    Session session(model);
    EXPECT_FALSE(session.final_state().has_value());
    const Reading reading = session.read(make_query(random_text(spec, 25, 9))).value();
    const std::vector<float> state = session.final_state().value();
    ASSERT_EQ(state.size(), static_cast<std::size_t>(spec.output_size()));
    for (std::size_t label = 0; label < reading.logits.size(); ++label) {
      float logit = tensor_values(draft, "head.bias")[label];
      for (std::size_t i = 0; i < state.size(); ++i)
        logit += tensor_values(draft, "head.weight")[label * state.size() + i] * state[i];
      EXPECT_NEAR(reading.logits[label], logit, 1e-5);  // another order of summation
    }
  }
}

TEST(ReadingLaws, PushingTheTokensOfAModelEqualsReading) {
  for (const ModelSpec& spec : sampled_model_specs(4)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 3));
    const std::string text = random_text(spec, 40, 5) + ", don't (stop).";
    Session session(model);
    const Reading expected = session.read(make_query(text)).value();
    ASSERT_TRUE(session.begin().has_value());
    for (const TokenSpan& word : model.tokenizer().tokenize(text))
      ASSERT_TRUE(session.push(std::string_view(text).substr(word.begin, word.end - word.begin)));
    expect_same(expected, session.answer().value());
  }
}

}  // namespace
}  // namespace skim

// The laws of reading, over nets of every shape with random weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "skim/session.h"
#include "tests/support/random_draft.h"
#include "tests/support/shapes.h"

namespace skim {
namespace {

Query query_of(std::string text) { return {std::move(text), {}, {}}; }

Reading ask(const Model& model, const std::string& text, Policy policy = {}) {
  Session session(model);
  Result<Reading> reading = session.ask(query_of(text), policy);
  EXPECT_TRUE(reading.has_value());
  return reading ? std::move(*reading) : Reading{};
}

void expect_same(const Reading& wanted, const Reading& got) {
  EXPECT_EQ(wanted.scores, got.scores);  // to the last bit
  EXPECT_EQ(wanted.answer.index, got.answer.index);
  EXPECT_EQ(wanted.answer.text, got.answer.text);
  EXPECT_EQ(wanted.costs, got.costs);
  ASSERT_EQ(wanted.trace.size(), got.trace.size());
  for (std::size_t i = 0; i < wanted.trace.size(); ++i) {
    EXPECT_EQ(wanted.trace[i].reader, got.trace[i].reader);
    EXPECT_EQ(wanted.trace[i].steps, got.trace[i].steps);
  }
}

TEST(ReadingLaws, ThresholdZeroEqualsThePlainModel) {
  for (const ModelSpec& spec : shapes(1)) {
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 1));
    const Result<Model> plain = model.plain();
    ASSERT_TRUE(plain.has_value());
    const std::string text = random_text(spec, 40, 1);
    const Reading reading = ask(model, text, {.read_above = 0});
    const Reading wanted = ask(*plain, text);
    for (std::size_t i = 0; i < wanted.scores.size(); ++i) {
      // Both add up the same products; the order may differ, so 40 steps of f32 rounding.
      ASSERT_NEAR(wanted.scores[i], reading.scores[i], 1e-5F);
    }
    for (const Pass& pass : reading.trace) {
      for (const Step& step : pass.steps) ASSERT_EQ(step.width, spec.reader.hidden);
    }
  }
}

TEST(ReadingLaws, ThresholdOneUpdatesOnlyTheSmallestLevel) {
  for (const ModelSpec& spec : shapes(3)) {
    if (spec.reader.kind == ReaderKind::full) continue;
    SCOPED_TRACE(describe(spec));
    const Reading reading =
        ask(model_of(random_draft(spec, 2)), random_text(spec, 20, 2), {.read_above = 1});
    for (const Pass& pass : reading.trace) {
      ASSERT_EQ(pass.steps.size(), 20U);
      for (const Step& step : pass.steps) ASSERT_EQ(step.width, spec.reader.least());
    }
  }
}

TEST(ReadingLaws, ALowerThresholdNeverReadsLessOfOneWord) {
  for (const ModelSpec& spec : shapes(5)) {
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 3));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string word = random_text(spec, 1, seed);
      int wider = spec.reader.hidden;
      for (const float threshold : {0.0F, 0.2F, 0.4F, 0.6F, 0.8F, 1.0F}) {
        const Reading reading = ask(model, word, {.read_above = threshold});
        EXPECT_LE(reading.trace[0].steps[0].width, wider);
        wider = reading.trace[0].steps[0].width;
      }
    }
  }
}

TEST(ReadingLaws, PushingWordsEqualsAsking) {
  for (const ModelSpec& spec : shapes(1)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 4));
    const std::string text = random_text(spec, 30, 4);
    for (const Policy policy : {Policy{}, Policy{.rule = Policy::Rule::argmax},
                                Policy{.rule = Policy::Rule::sample, .seed = 9}}) {
      const Reading wanted = ask(model, text, policy);
      Session session(model);
      ASSERT_TRUE(session.begin(policy).has_value());
      for (std::size_t i = 0; i < wanted.words.size(); ++i) {
        const Word& word = wanted.words[i];
        const Result<Step> step =
            session.push(std::string_view(text).substr(word.begin, word.end - word.begin));
        ASSERT_TRUE(step.has_value());
        EXPECT_EQ(*step, wanted.trace[0].steps[i]);
        if (i != 11) continue;
        EXPECT_TRUE(session.answer().has_value());  // looking does not disturb
      }
      const Result<Reading> got = session.answer();
      ASSERT_TRUE(got.has_value());
      expect_same(wanted, *got);
      EXPECT_EQ(wanted.words, got->words);  // one space apart, as in the text
    }
  }
}

TEST(ReadingLaws, TextsLongerThanAPieceEqualPushedOnes) {
  // The net reads long texts piece by piece; 2,500 words are two pieces and a half.
  for (const ModelSpec& spec : shapes(37)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 5));
    const std::string text = random_text(spec, 2500, 5);
    const Reading wanted = ask(model, text);
    Session session(model);
    ASSERT_TRUE(session.begin({}).has_value());
    for (const Word& word : wanted.words) {
      ASSERT_TRUE(session.push(std::string_view(text).substr(word.begin, word.end - word.begin)));
    }
    expect_same(wanted, session.answer().value());
  }
}

// A draft whose backward readers have the weights of the forward ones.
ModelDraft mirrored(const ModelSpec& spec) {
  ModelDraft draft = random_draft(spec, 6);
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    const std::size_t at = tensor.name.find(".backward.");
    if (at == std::string::npos) continue;
    std::string twin = tensor.name;
    twin.replace(at, std::string(".backward.").size(), ".forward.");
    const auto found = std::find_if(draft.tensors.begin(), draft.tensors.end(),
                                    [&](const auto& each) { return each.name == twin; });
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
  for (const ModelSpec& spec : shapes(1)) {
    if (!spec.bidirectional || spec.layers > 1) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(mirrored(spec));
    // Long enough to be read in pieces: the backward reader takes the last piece first.
    const std::string text = random_text(spec, spec.pooling == Pooling::max ? 2100 : 30, 6);
    const Reading one = ask(model, text);
    const Reading other = ask(model, reversed(text));
    std::vector<Step> backward = one.trace[1].steps;
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(backward, other.trace[0].steps);
    std::vector<Step> forward = one.trace[0].steps;
    std::reverse(forward.begin(), forward.end());
    EXPECT_EQ(forward, other.trace[1].steps);
  }
}

TEST(ReadingLaws, WordsBeyondTheTablesGiveTheSameResult) {
  for (ModelSpec spec : shapes(7)) {
    for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      spec.weights = weights;
      SCOPED_TRACE(describe(spec));
      const ModelDraft draft = random_draft(spec, 7);
      const std::string text = random_text(spec, 60, 7);
      const Reading wanted = ask(model_of(draft), text);
      expect_same(wanted, ask(model_of(draft, {.table_bytes = 0}), text));
      expect_same(wanted, ask(model_of(draft, {.table_bytes = 20000}), text));
    }
  }
}

TEST(ReadingLaws, SamplingRepeatsForASeedAndOnlyForIt) {
  for (const ModelSpec& spec : shapes(11)) {
    if (spec.reader.kind == ReaderKind::full) continue;
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 8));
    const std::string text = random_text(spec, 200, 8);
    const Policy one{.rule = Policy::Rule::sample, .seed = 1};
    const Policy two{.rule = Policy::Rule::sample, .seed = 2};
    expect_same(ask(model, text, one), ask(model, text, one));
    EXPECT_NE(ask(model, text, one).trace[0].steps, ask(model, text, two).trace[0].steps);
  }
}

TEST(ReadingLaws, EachReaderOfANetDrawsItsOwnSamples) {
  ModelSpec spec;
  for (const ModelSpec& shape : shapes(1)) {
    if (shape.bidirectional && shape.reader.kind == ReaderKind::skim) spec = shape;
  }
  const Model model = model_of(mirrored(spec));
  std::string text = made_up_word(1);
  for (int i = 0; i < 100; ++i) text += " " + made_up_word(1);
  // One word over and over, so both directions read the same with the same weights.
  const auto both_ways = [&](Policy policy) {
    Trace trace = ask(model, text, policy).trace;
    std::reverse(trace[1].steps.begin(), trace[1].steps.end());
    return std::pair(trace[0].steps, trace[1].steps);
  };
  const auto [forward, backward] = both_ways({});
  EXPECT_EQ(forward, backward);
  const auto [one, other] = both_ways({.rule = Policy::Rule::sample, .seed = 1});
  EXPECT_NE(one, other);
}

TEST(ReadingLaws, AUsedSessionAnswersLikeANewOne) {
  for (const ModelSpec& spec : shapes(5)) {
    SCOPED_TRACE(describe(spec));
    const Model model = model_of(random_draft(spec, 9));
    Session session(model);
    Reading reading;
    for (const std::size_t words : {50U, 3U, 0U, 70U, 1U}) {
      const std::string text = random_text(spec, words, words);
      ASSERT_TRUE(session.ask(query_of(text), {}, reading).has_value());
      expect_same(ask(model, text), reading);
    }
  }
}

TEST(ReadingLaws, AnEmptyTextIsAnsweredFromTheBiasAlone) {
  for (const ModelSpec& spec : shapes(5)) {
    SCOPED_TRACE(describe(spec));
    const Reading reading = ask(model_of(random_draft(spec, 10)), " ");
    EXPECT_TRUE(reading.words.empty());
    float sum = 0;
    for (const float score : reading.scores) sum += score;
    EXPECT_NEAR(sum, 1.0F, 1e-6F);  // rounding of three f32
    for (const Pass& pass : reading.trace) EXPECT_TRUE(pass.steps.empty());
    EXPECT_EQ(reading.costs.counted.flops, 0);
  }
}

TEST(ReadingLaws, AHundredThousandWordsAreReadLikeAny) {
  for (const ModelSpec& spec : shapes(61)) {
    SCOPED_TRACE(describe(spec));
    const Reading reading = ask(model_of(random_draft(spec, 11)), random_text(spec, 100'000, 11));
    EXPECT_EQ(reading.words.size(), 100'000U);
    float sum = 0;
    for (const float score : reading.scores) sum += score;
    EXPECT_NEAR(sum, 1.0F, 1e-6F);
    for (const Pass& pass : reading.trace) EXPECT_EQ(pass.steps.size(), 100'000U);
  }
}

}  // namespace
}  // namespace skim

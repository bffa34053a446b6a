// An early answer (Policy::confident) is the answer for the words up to where reading stopped.
#include "nets/early_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "skim/batch.h"
#include "skim/session.h"
#include "tests/support/model_specs.h"
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::HasSubstr;

// Texts of up to 1,200 words of the vocabulary, some of them longer than a chunk of any reader.
std::vector<Query> texts_of(const ModelDraft& draft) {
  std::vector<Query> texts;
  std::uint64_t state = 7;
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 200U, 300U, 513U, 700U, 1200U}) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += draft.vocabulary[1 + (state >> 33U) % (draft.vocabulary.size() - 1)] + " ";
    }
    texts.push_back({std::move(text), {}, {}});
  }
  return texts;
}

std::vector<ModelDraft> streaming_drafts() {
  std::vector<ModelDraft> drafts;
  for (const ModelSpec& spec : sampled_model_specs(29)) {
    if (spec.net != NetKind::classifier || spec.bidirectional) continue;
    drafts.push_back(random_draft(spec, drafts.size()));
    // Far from 0.5 to 1, so that different texts stop at different words.
    drafts.back().calibration.temperature = 0.1;
  }
  return drafts;
}

Policy confident_policy(float confident) {
  Policy policy;
  policy.confident = confident;
  return policy;
}

std::size_t seen(const Reading& reading) { return reading.trace.front().steps.size(); }

// The answer so far at a check.
Reading prefix(const Model& model, const Query& query, const Reading& reading, std::size_t words) {
  const std::size_t end = words == 0 ? 0 : reading.words[words - 1].end;
  return Session(model).read({query.text.substr(0, end), {}, {}}).value();
}

void expect_same_reading(const Reading& actual, const Reading& expected) {
  EXPECT_EQ(actual.logits, expected.logits);
  EXPECT_EQ(actual.scores, expected.scores);
  EXPECT_EQ(actual.answer.index, expected.answer.index);
  EXPECT_EQ(actual.words, expected.words);
  EXPECT_EQ(actual.costs, expected.costs);
  ASSERT_EQ(actual.trace.size(), expected.trace.size());
  for (std::size_t i = 0; i < actual.trace.size(); ++i)
    EXPECT_EQ(actual.trace[i].steps, expected.trace[i].steps);
}

// Where reading has to stop: at the second confident check in a row with the same label.
std::size_t stop_of(const Model& model, const Query& query, const Reading& reading,
                    float confident) {
  int before = -1;
  for (std::size_t at = next_check(0); at < reading.words.size(); at = next_check(at)) {
    const Answer answer = prefix(model, query, reading, at).answer;
    const int label = answer.score >= confident ? answer.index : -1;
    if (label >= 0 && label == before) return at;
    before = label;
  }
  return reading.words.size();
}

TEST(EarlyAnswer, IsThatOfThePrefixUpToTheSecondConfidentCheckInARow) {
  std::size_t early = 0, late = 0;
  for (const ModelDraft& draft : streaming_drafts()) {
    const Model model = load_model(draft);
    Session session(model);
    for (const Query& query : texts_of(draft)) {
      for (const float confident : {0.6F, 0.9F}) {
        const Reading reading = session.read(query, confident_policy(confident)).value();
        const std::size_t words = seen(reading);
        EXPECT_EQ(words, stop_of(model, query, reading, confident)) << describe(draft.spec);
        const Reading expected = prefix(model, query, reading, words);
        EXPECT_EQ(reading.logits, expected.logits) << describe(draft.spec) << ", " << words;
        EXPECT_EQ(reading.scores, expected.scores);
        for (std::size_t i = 0; i < reading.trace.size(); ++i)
          EXPECT_EQ(reading.trace[i].steps, expected.trace[i].steps);
        EXPECT_EQ(reading.costs.counted.flops, expected.costs.counted.flops);
        EXPECT_EQ(reading.unseen_words(), reading.words.size() - words);
        if (words < reading.words.size()) ++(words == 2 * kCheckWords ? early : late);
      }
    }
  }
  EXPECT_GT(early, 0U);
  EXPECT_GT(late, 0U);
}

TEST(EarlyAnswer, IsTheSameInBatchesAndInStreams) {
  for (const ModelDraft& draft : streaming_drafts()) {
    const Model model = load_model(draft);
    const Policy policy = confident_policy(0.8F);
    const std::vector<Query> texts = texts_of(draft);
    std::vector<Result<Reading>> readings(texts.size());
    Batch(model, 2).read(texts, policy, readings);
    Session session(model), stream(model);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      SCOPED_TRACE(describe(draft.spec) + ", " + std::to_string(i));
      const Reading expected = session.read(texts[i], policy).value();
      expect_same_reading(readings[i].value(), expected);
      ASSERT_TRUE(stream.begin(policy));
      for (const TokenSpan& word : expected.words) {
        const bool settled = stream.settled();
        const Step step =
            stream.push(texts[i].text.substr(word.begin, word.end - word.begin)).value();
        EXPECT_TRUE(!settled || step == (Step{0, 0}));
      }
      const Reading answer = stream.answer().value();
      EXPECT_EQ(answer.logits, expected.logits);
      EXPECT_EQ(answer.trace[0].steps, expected.trace[0].steps);
      EXPECT_EQ(answer.unseen_words(), expected.unseen_words());
      EXPECT_TRUE(expected.unseen_words() == 0 || stream.settled());
      ASSERT_TRUE(stream.begin({}));
      EXPECT_FALSE(stream.settled());
    }
  }
}

TEST(EarlyAnswer, TheDenseReaderOfTheCostsReadsAllWords) {
  const ModelDraft draft = streaming_drafts().front();
  Session session(load_model(draft));
  for (const Query& query : texts_of(draft)) {
    const Reading all = session.read(query).value();
    const Reading some = session.read(query, confident_policy(0)).value();
    EXPECT_LE(seen(some), seen(all));
    EXPECT_DOUBLE_EQ(some.costs.counted.dense_flops, all.costs.counted.dense_flops);
    EXPECT_DOUBLE_EQ(some.costs.paper.dense_flops, all.costs.paper.dense_flops);
    EXPECT_DOUBLE_EQ(some.costs.executed.dense_flops, all.costs.executed.dense_flops);
  }
}

TEST(EarlyAnswer, NeedsAClassifierInOneDirectionAndAFraction) {
  PlantedModelOptions options;
  options.hidden_size = 24;
  options.embedding_size = 12;
  const Model forward = load_model(planted_draft(options).value());
  options.bidirectional = true;
  const Model both = load_model(planted_draft(options).value());
  EXPECT_TRUE(forward.streams());
  EXPECT_FALSE(both.streams());
  const auto error = [](const Model& model, float confident) {
    const auto reading = Session(model).read({"a film", {}, {}}, confident_policy(confident));
    return reading ? "" : reading.error().message;
  };
  EXPECT_EQ(error(forward, 0.9F), "");
  EXPECT_THAT(error(both, 0.9F), HasSubstr("only a classifier that reads in one direction"));
  EXPECT_THAT(error(forward, 1.5F), HasSubstr("confident is 1.5"));
  EXPECT_FALSE(Session(forward).begin(confident_policy(-1)));
  std::vector<Query> queries(2, Query{"a film", {}, {}});
  std::vector<Result<Reading>> readings(2);
  Batch(forward, 1).read(queries, confident_policy(2), readings);
  EXPECT_FALSE(readings[0]);
}

}  // namespace
}  // namespace skim

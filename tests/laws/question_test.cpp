// The laws of answering questions, over nets with random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "skim/batch.h"
#include "skim/layer.h"
#include "skim/session.h"
#include "spec/params.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::HasSubstr;

ModelSpec question_spec(NetKind net, ReaderKind kind, int layers, bool both) {
  ModelSpec spec;
  spec.net = net;
  spec.word_width = 7;
  spec.letters = {.width = 3, .filters = 6, .window = 5};
  spec.reader.kind = kind;
  spec.reader.hidden = 11;
  if (kind == ReaderKind::skim) spec.reader.small = {4};
  if (kind != ReaderKind::skim) spec.reader.small.clear();
  spec.layers = layers;
  spec.bidirectional = both;
  return spec;
}

// Both kinds of nets that answer with pieces of the text.
std::vector<ModelSpec> question_specs(NetKind net);
std::vector<ModelSpec> piece_specs() {
  std::vector<ModelSpec> specs = question_specs(NetKind::span);
  for (const ModelSpec& spec : question_specs(NetKind::bidaf)) specs.push_back(spec);
  return specs;
}

std::vector<ModelSpec> question_specs(NetKind net) {
  std::vector<ModelSpec> specs;
  for (const ReaderKind kind : {ReaderKind::full, ReaderKind::skim, ReaderKind::vary}) {
    for (const int layers : {1, 2}) {
      for (const bool both : {false, true}) specs.push_back(question_spec(net, kind, layers, both));
    }
  }
  return specs;
}

Query question_about(const ModelSpec& spec, std::size_t words, std::uint64_t seed) {
  Query query{random_text(spec, words, seed), random_text(spec, 6, seed + 100), {}};
  for (std::uint64_t i = 0; spec.net == NetKind::cloze && i < 5; ++i)
    query.choices.push_back(random_text(spec, 1 + i % 2, seed + 200 + i));
  return query;
}

Reading answer_to(const Model& model, const Query& query, Policy policy = {}) {
  Session session(model);
  Result<Reading> reading = session.ask(query, policy);
  EXPECT_TRUE(reading.has_value()) << reading.error().message;
  return reading ? std::move(*reading) : Reading{};
}

std::string refusal_of(const Model& model, const Query& query) {
  const auto reading = Session(model).ask(query);
  return reading ? "(no error)" : reading.error().message;
}

TEST(SpanLaws, TheAnswerIsThePieceOfTheTextThatIsLikeliest) {
  for (const ModelSpec& spec : piece_specs()) {
    const Model model = model_of(random_draft(spec, 1));
    const Query query = question_about(spec, 50, 1);
    const Reading reading = answer_to(model, query);
    const std::size_t words = reading.words.size();
    ASSERT_EQ(words, 50U);
    EXPECT_EQ(reading.question_words.size(), 6U);
    ASSERT_EQ(reading.scores.size(), 2 * words);
    const auto half = reading.scores.begin() + static_cast<std::ptrdiff_t>(words);
    EXPECT_NEAR(std::accumulate(reading.scores.begin(), half, 0.0), 1, 1e-5);
    EXPECT_NEAR(std::accumulate(half, reading.scores.end(), 0.0), 1, 1e-5);
    const Answer& answer = reading.answer;
    EXPECT_EQ(answer.index, -1);
    EXPECT_EQ(answer.text, query.text.substr(answer.begin, answer.end - answer.begin));
    EXPECT_FALSE(answer.text.empty());
    for (std::size_t i = 0; i < words; ++i) {
      for (std::size_t j = i; j < std::min(words, i + 30); ++j)
        ASSERT_LE(reading.scores[i] * reading.scores[words + j], answer.score);
    }
    for (const Pass& pass : reading.trace)
      EXPECT_EQ(pass.steps.size(), pass.of_question ? 6U : words);
  }
}

TEST(SpanLaws, ThresholdZeroEqualsThePlainModel) {
  for (const ModelSpec& spec : piece_specs()) {
    const Model model = model_of(random_draft(spec, 2));
    const Query query = question_about(spec, 40, 2);
    const Reading reading = answer_to(model, query, {.read_above = 0});
    const Reading plain = answer_to(model.plain().value(), query);
    for (std::size_t i = 0; i < plain.scores.size(); ++i)
      ASSERT_NEAR(plain.scores[i], reading.scores[i], 1e-5F);
  }
}

// The rows that a span net reads, worked out in the plainest way.
std::vector<float> rows_in_the_light_of(const ModelDraft& draft,
                                        const std::vector<std::size_t>& text,
                                        const std::vector<std::size_t>& question) {
  const auto tensor = [&](const std::string& name) {
    for (const ModelDraft::Tensor& one : draft.tensors)
      if (one.name == name) return one.values;
    return std::vector<float>{};
  };
  const auto width = static_cast<std::size_t>(draft.spec.word_width);
  const std::vector<float> words = tensor("words"), w = tensor("question.w"),
                           both = tensor("question.both");
  std::vector<float> rows;
  for (const std::size_t x : text) {
    std::vector<double> shares;
    double sum = 0;
    for (const std::size_t q : question) {
      double score = 0;
      for (std::size_t j = 0; j < width; ++j) {
        const double of_question = static_cast<double>(words[q * width + j]);
        const double product = static_cast<double>(both[j]) * of_question;
        score += static_cast<double>(w[j]) * of_question +
                 product * static_cast<double>(words[x * width + j]);
      }
      shares.push_back(std::exp(score));
      sum += shares.back();
    }
    std::vector<float> attended(width);
    for (std::size_t j = 0; j < width; ++j) {
      double value = 0;
      for (std::size_t i = 0; i < question.size(); ++i)
        value += shares[i] / sum * static_cast<double>(words[question[i] * width + j]);
      attended[j] = static_cast<float>(value);
    }
    for (std::size_t j = 0; j < width; ++j) rows.push_back(words[x * width + j]);
    rows.insert(rows.end(), attended.begin(), attended.end());
    for (std::size_t j = 0; j < width; ++j) rows.push_back(words[x * width + j] * attended[j]);
  }
  return rows;
}

TEST(SpanLaws, ReadsEveryWordInTheLightOfTheQuestion) {
  const ModelSpec spec = question_spec(NetKind::span, ReaderKind::skim, 1, false);
  const ModelDraft draft = random_draft(spec, 3);
  const std::vector<std::size_t> text = {3, 1, 4, 1, 5, 9, 2, 6}, question = {2, 7, 1};
  const auto spelled = [&](const std::vector<std::size_t>& words) {
    std::string all;
    for (const std::size_t word : words) all += draft.vocabulary[word] + " ";
    return all;
  };
  const Reading reading = answer_to(model_of(draft), {spelled(text), spelled(question), {}});
  const std::vector<float> rows = rows_in_the_light_of(draft, text, question);
  std::vector<NamedTensor> tensors;
  const std::string prefix = reader_prefix(0, false);
  for (const TensorSpec& wanted : reader_tensors(draft.spec.reader_of(0))) {
    for (const ModelDraft::Tensor& one : draft.tensors)
      if (one.name == prefix + wanted.name)
        tensors.push_back({wanted.name, wanted.shape, one.values});
  }
  const auto layer = Layer::create(draft.spec.reader_of(0), tensors);
  ASSERT_TRUE(layer.has_value()) << layer.error().message;
  std::vector<float> out(text.size() * 11);
  std::vector<Step> steps(text.size());
  LayerState state = layer->start();
  ASSERT_TRUE(layer->read(rows, Policy{}, state, out, steps));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(reading.trace[0].steps[i].width, steps[i].width);
    EXPECT_NEAR(reading.trace[0].steps[i].p_read, steps[i].p_read, 1e-5F);
  }
}

TEST(SpanLaws, ATextWithoutWordsHasNoAnswer) {
  for (const ModelSpec& spec : piece_specs()) {
    const Model model = model_of(random_draft(spec, 4));
    const Reading reading = answer_to(model, {" \n", "zxba", {}});
    EXPECT_EQ(reading.answer.text, "");
    EXPECT_EQ(reading.answer.score, 0);
    EXPECT_TRUE(reading.scores.empty());
    // And what was asked before leaves no trace.
    const Query query = question_about(spec, 20, 4);
    Session session(model);
    const auto alone = session.ask(query);
    ASSERT_TRUE(session.ask({"", "zxba", {}}));
    ASSERT_FALSE(session.ask({"zxba zxdo", " ", {}})) << "nor does a question without words";
    EXPECT_EQ(session.ask(query)->scores, alone->scores);
  }
}

// One question about many texts is read once; nobody can tell by the answers.
TEST(SpanLaws, AQuestionMayBeAskedAboutManyTexts) {
  const Policy usual, thrifty{.read_above = 0.7F}, drawn{.rule = Policy::Rule::sample, .seed = 3};
  for (const ModelSpec& spec : piece_specs()) {
    const Model model = model_of(random_draft(spec, 6));
    Session session(model);
    const std::string question = random_text(spec, 6, 1), other = random_text(spec, 6, 2);
    const auto as_if_alone = [&](const std::string& asked, std::uint64_t text, Policy policy) {
      const Query query{text == 0 ? "" : random_text(spec, 20, text), asked, {}};
      const Result<Reading> reading = session.ask(query, policy);
      const Reading alone = answer_to(model, query, policy);
      ASSERT_TRUE(reading);
      EXPECT_EQ(reading->scores, alone.scores);
      EXPECT_EQ(reading->costs, alone.costs);
      for (std::size_t i = 0; i < alone.trace.size(); ++i)
        EXPECT_EQ(reading->trace[i].steps, alone.trace[i].steps);
    };
    as_if_alone(question, 1, usual);
    as_if_alone(question, 2, usual);
    as_if_alone(question, 0, usual);
    as_if_alone(question, 3, usual);
    as_if_alone(question, 3, thrifty);
    as_if_alone(question, 3, drawn);
    as_if_alone(other, 3, drawn);
    as_if_alone(question, 1, usual);
  }
}

// Words that the vocabulary lacks differ by their letters, if the net looks at them.
TEST(BidafLaws, UnknownWordsAreToldApartByTheirLetters) {
  const ModelSpec spec = question_spec(NetKind::bidaf, ReaderKind::full, 1, true);
  const Model model = model_of(random_draft(spec, 9));
  const auto scores = [&](const char* text) { return answer_to(model, {text, "zxba", {}}).scores; };
  EXPECT_NE(scores("zxdo qqqqqq zxfe"), scores("zxdo rrrrrr zxfe"));
  EXPECT_EQ(scores("zxdo qqqqqq zxfe"), scores("ZXDO QQQQQQ zxfe")) << "case does not count";
  const std::string giant(5000, 'q');
  EXPECT_EQ(answer_to(model, {giant + " zxba", "zxba", {}}).words.size(), 2U);
}

TEST(ClozeLaws, EveryChoiceHasItsScoreWhereverItStands) {
  for (const ModelSpec& spec : question_specs(NetKind::cloze)) {
    const Model model = model_of(random_draft(spec, 5));
    Query query = question_about(spec, 30, 5);
    const Reading reading = answer_to(model, query);
    ASSERT_EQ(reading.scores.size(), 5U);
    EXPECT_NEAR(std::accumulate(reading.scores.begin(), reading.scores.end(), 0.0), 1, 1e-5);
    ASSERT_GE(reading.answer.index, 0);
    EXPECT_EQ(reading.answer.text, query.choices[static_cast<std::size_t>(reading.answer.index)]);
    EXPECT_EQ(reading.trace[0].steps.size(), 36U) << "the text and then the question";
    std::swap(query.choices[0], query.choices[4]);
    const Reading turned = answer_to(model, query);
    EXPECT_NEAR(turned.scores[4], reading.scores[0], 1e-6F);
    EXPECT_NEAR(turned.answer.score, reading.answer.score, 1e-6F);
  }
}

TEST(ClozeLaws, ReadsTheQuestionOnFromTheText) {
  const ModelSpec spec = question_spec(NetKind::cloze, ReaderKind::skim, 2, false);
  const Model model = model_of(random_draft(spec, 6));
  const Query query = question_about(spec, 30, 6);
  Query moved = query;  // the same words, parted elsewhere
  const std::size_t place = query.text.rfind(' ');
  moved.question = query.text.substr(place + 1) + " " + query.question;
  moved.text = query.text.substr(0, place);
  EXPECT_EQ(answer_to(model, query).scores, answer_to(model, moved).scores);
}

TEST(QuestionLaws, AnswersAreTheSameForAnyNumberOfThreads) {
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    const ModelSpec spec = question_spec(net, ReaderKind::skim, 2, true);
    const Model model = model_of(random_draft(spec, 7));
    std::vector<Query> queries;
    for (std::uint64_t i = 0; i < 40; ++i) queries.push_back(question_about(spec, 5 + 3 * i, i));
    std::vector<Result<Reading>> together(queries.size());
    Batch(model, 3).ask(queries, Policy{}, together);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_TRUE(together[i].has_value());
      const Reading alone = answer_to(model, queries[i]);
      EXPECT_EQ(together[i]->scores, alone.scores);
      EXPECT_EQ(together[i]->answer.text, alone.answer.text);
    }
  }
}

TEST(QuestionLaws, WhatIsMissingOrTooMuchIsNamed) {
  const Model span =
      model_of(random_draft(question_spec(NetKind::span, ReaderKind::full, 1, true), 8));
  EXPECT_THAT(refusal_of(span, {"a", "", {}}), HasSubstr("no question was given"));
  EXPECT_THAT(refusal_of(span, {"a", " \n", {}}), HasSubstr("no question was given"));
  EXPECT_THAT(refusal_of(span, {"a", "b", {"c"}}), HasSubstr("takes no choices"));
  EXPECT_THAT(Session(span).begin().error().message, HasSubstr("answers questions about a whole"));
  const Model cloze =
      model_of(random_draft(question_spec(NetKind::cloze, ReaderKind::full, 1, false), 8));
  EXPECT_THAT(refusal_of(cloze, {"a", "", {"c"}}), HasSubstr("no question was given"));
  EXPECT_THAT(refusal_of(cloze, {"a", "b", {}}), HasSubstr("no choices were given"));
}

}  // namespace
}  // namespace skim

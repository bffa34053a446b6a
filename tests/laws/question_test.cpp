// Invariants of question answering, for nets with random weights.
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
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::HasSubstr;

ModelSpec question_spec(NetKind net, ReaderKind kind, int layers, bool both) {
  ModelSpec spec;
  spec.net = net;
  spec.embedding_size = 7;
  spec.char_cnn = {.embedding_size = 3, .num_filters = 6, .kernel_size = 5};
  spec.reader.kind = kind;
  spec.reader.hidden_size = 11;
  if (kind == ReaderKind::skim) spec.reader.skim_sizes = {4};
  if (kind != ReaderKind::skim) spec.reader.skim_sizes.clear();
  spec.num_layers = layers;
  spec.bidirectional = both;
  return spec;
}

// Both kinds of extractive nets.
std::vector<ModelSpec> question_specs(NetKind net);
std::vector<ModelSpec> extractive_specs() {
  std::vector<ModelSpec> specs = question_specs(NetKind::span);
  for (const ModelSpec& spec : question_specs(NetKind::bidaf)) specs.push_back(spec);
  return specs;
}

std::vector<ModelSpec> question_specs(NetKind net) {
  std::vector<ModelSpec> specs;
  for (const ReaderKind kind : {ReaderKind::dense, ReaderKind::skim, ReaderKind::vcrnn}) {
    for (const int layers : {1, 2}) {
      for (const bool both : {false, true}) specs.push_back(question_spec(net, kind, layers, both));
    }
  }
  return specs;
}

Query make_query(const ModelSpec& spec, std::size_t words, std::uint64_t seed) {
  Query query{random_text(spec, words, seed), random_text(spec, 6, seed + 100), {}};
  for (std::uint64_t i = 0; spec.net == NetKind::cloze && i < 5; ++i)
    query.choices.push_back(random_text(spec, 1 + i % 2, seed + 200 + i));
  return query;
}

Reading read(const Model& model, const Query& query, Policy policy = {}) {
  Session session(model);
  Result<Reading> reading = session.read(query, policy);
  EXPECT_TRUE(reading.has_value()) << reading.error().message;
  return reading ? std::move(*reading) : Reading{};
}

std::string read_error(const Model& model, const Query& query) {
  const auto reading = Session(model).read(query);
  return reading ? "(no error)" : reading.error().message;
}

TEST(SpanLaws, AnswerIsTheMostProbableSpan) {
  for (const ModelSpec& spec : extractive_specs()) {
    const Model model = load_model(random_draft(spec, 1));
    const Query query = make_query(spec, 50, 1);
    const Reading reading = read(model, query);
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
      EXPECT_EQ(pass.steps.size(), pass.over_question ? 6U : words);
  }
}

TEST(SpanLaws, ThresholdZeroEqualsTheDenseModel) {
  for (const ModelSpec& spec : extractive_specs()) {
    const Model model = load_model(random_draft(spec, 2));
    const Query query = make_query(spec, 40, 2);
    const Reading reading = read(model, query, {.threshold = 0});
    const Reading dense = read(model.dense().value(), query);
    for (std::size_t i = 0; i < dense.scores.size(); ++i)
      ASSERT_NEAR(dense.scores[i], reading.scores[i], 1e-5F);
  }
}

// Reference of the input rows of a span net.
std::vector<float> question_aware_rows(const ModelDraft& draft,
                                       const std::vector<std::size_t>& text,
                                       const std::vector<std::size_t>& question) {
  const auto tensor = [&](const std::string& name) {
    for (const ModelDraft::Tensor& one : draft.tensors)
      if (one.name == name) return one.values;
    return std::vector<float>{};
  };
  const auto width = static_cast<std::size_t>(draft.spec.embedding_size);
  const std::vector<float> words = tensor("embedding.weight"),
                           query_weight = tensor("attention.query"),
                           product_weight = tensor("attention.product");
  std::vector<float> rows;
  for (const std::size_t x : text) {
    std::vector<double> weights;
    double sum = 0;
    for (const std::size_t q : question) {
      double logit = 0;
      for (std::size_t j = 0; j < width; ++j) {
        const double u = static_cast<double>(words[q * width + j]);
        const double product = static_cast<double>(product_weight[j]) * u;
        logit += static_cast<double>(query_weight[j]) * u +
                 product * static_cast<double>(words[x * width + j]);
      }
      weights.push_back(std::exp(logit));
      sum += weights.back();
    }
    std::vector<float> attended(width);
    for (std::size_t j = 0; j < width; ++j) {
      double value = 0;
      for (std::size_t i = 0; i < question.size(); ++i)
        value += weights[i] / sum * static_cast<double>(words[question[i] * width + j]);
      attended[j] = static_cast<float>(value);
    }
    for (std::size_t j = 0; j < width; ++j) rows.push_back(words[x * width + j]);
    rows.insert(rows.end(), attended.begin(), attended.end());
    for (std::size_t j = 0; j < width; ++j) rows.push_back(words[x * width + j] * attended[j]);
  }
  return rows;
}

TEST(SpanLaws, InputsAreQuestionAware) {
  const ModelSpec spec = question_spec(NetKind::span, ReaderKind::skim, 1, false);
  const ModelDraft draft = random_draft(spec, 3);
  const std::vector<std::size_t> text = {3, 1, 4, 1, 5, 9, 2, 6}, question = {2, 7, 1};
  const auto to_text = [&](const std::vector<std::size_t>& words) {
    std::string all;
    for (const std::size_t word : words) all += draft.vocabulary[word] + " ";
    return all;
  };
  const Reading reading = read(load_model(draft), {to_text(text), to_text(question), {}});
  const std::vector<float> rows = question_aware_rows(draft, text, question);
  std::vector<NamedTensor> tensors;
  const std::string prefix = reader_prefix(0, false);
  for (const TensorSpec& expected : reader_tensors(draft.spec.layer_reader(0))) {
    for (const ModelDraft::Tensor& one : draft.tensors)
      if (one.name == prefix + expected.name)
        tensors.push_back({expected.name, expected.shape, one.values});
  }
  const auto layer = Layer::create(draft.spec.layer_reader(0), tensors);
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

TEST(SpanLaws, EmptyTextHasAnEmptyAnswer) {
  for (const ModelSpec& spec : extractive_specs()) {
    const Model model = load_model(random_draft(spec, 4));
    const Reading reading = read(model, {" \n", "zxba", {}});
    EXPECT_EQ(reading.answer.text, "");
    EXPECT_EQ(reading.answer.score, 0);
    EXPECT_TRUE(reading.scores.empty());
    // Earlier queries have no effect.
    const Query query = make_query(spec, 20, 4);
    Session session(model);
    const auto alone = session.read(query);
    ASSERT_TRUE(session.read({"", "zxba", {}}));
    ASSERT_FALSE(session.read({"zxba zxdo", " ", {}})) << "a question without words is an error";
    EXPECT_EQ(session.read(query)->scores, alone->scores);
  }
}

// The question is encoded once for several texts, with the same results.
TEST(SpanLaws, CachedQuestionEncodingGivesTheSameResults) {
  const Policy by_default, high_threshold{.threshold = 0.7F},
      sampled{.rule = Policy::Rule::sample, .seed = 3};
  for (const ModelSpec& spec : extractive_specs()) {
    const Model model = load_model(random_draft(spec, 6));
    Session session(model);
    const std::string question = random_text(spec, 6, 1), other = random_text(spec, 6, 2);
    const auto expect_same_as_new_session = [&](const std::string& question_text,
                                                std::uint64_t text, Policy policy) {
      const Query query{text == 0 ? "" : random_text(spec, 20, text), question_text, {}};
      const Result<Reading> reading = session.read(query, policy);
      const Reading alone = read(model, query, policy);
      ASSERT_TRUE(reading);
      EXPECT_EQ(reading->scores, alone.scores);
      EXPECT_EQ(reading->costs, alone.costs);
      for (std::size_t i = 0; i < alone.trace.size(); ++i)
        EXPECT_EQ(reading->trace[i].steps, alone.trace[i].steps);
    };
    expect_same_as_new_session(question, 1, by_default);
    expect_same_as_new_session(question, 2, by_default);
    expect_same_as_new_session(question, 0, by_default);
    expect_same_as_new_session(question, 3, by_default);
    expect_same_as_new_session(question, 3, high_threshold);
    expect_same_as_new_session(question, 3, sampled);
    expect_same_as_new_session(other, 3, sampled);
    expect_same_as_new_session(question, 1, by_default);
  }
}

// Character features distinguish out-of-vocabulary words.
TEST(BidafLaws, CharFeaturesDistinguishUnknownWords) {
  const ModelSpec spec = question_spec(NetKind::bidaf, ReaderKind::dense, 1, true);
  const Model model = load_model(random_draft(spec, 9));
  const auto scores = [&](const char* text) { return read(model, {text, "zxba", {}}).scores; };
  EXPECT_NE(scores("zxdo qqqqqq zxfe"), scores("zxdo rrrrrr zxfe"));
  EXPECT_EQ(scores("zxdo qqqqqq zxfe"), scores("ZXDO QQQQQQ zxfe")) << "case is ignored";
  const std::string giant(5000, 'q');
  EXPECT_EQ(read(model, {giant + " zxba", "zxba", {}}).words.size(), 2U);
}

TEST(ClozeLaws, ScoresAreIndependentOfTheOrderOfChoices) {
  for (const ModelSpec& spec : question_specs(NetKind::cloze)) {
    const Model model = load_model(random_draft(spec, 5));
    Query query = make_query(spec, 30, 5);
    const Reading reading = read(model, query);
    ASSERT_EQ(reading.scores.size(), 5U);
    EXPECT_NEAR(std::accumulate(reading.scores.begin(), reading.scores.end(), 0.0), 1, 1e-5);
    ASSERT_GE(reading.answer.index, 0);
    EXPECT_EQ(reading.answer.text, query.choices[static_cast<std::size_t>(reading.answer.index)]);
    EXPECT_EQ(reading.trace[0].steps.size(), 36U) << "the text and then the question";
    std::swap(query.choices[0], query.choices[4]);
    const Reading turned = read(model, query);
    EXPECT_NEAR(turned.scores[4], reading.scores[0], 1e-6F);
    EXPECT_NEAR(turned.answer.score, reading.answer.score, 1e-6F);
  }
}

TEST(ClozeLaws, ReadsTheQuestionAfterTheText) {
  const ModelSpec spec = question_spec(NetKind::cloze, ReaderKind::skim, 2, false);
  const Model model = load_model(random_draft(spec, 6));
  const Query query = make_query(spec, 30, 6);
  Query moved = query;  // the same words, split elsewhere
  const std::size_t split = query.text.rfind(' ');
  moved.question = query.text.substr(split + 1) + " " + query.question;
  moved.text = query.text.substr(0, split);
  EXPECT_EQ(read(model, query).scores, read(model, moved).scores);
}

TEST(QuestionLaws, ResultsAreIndependentOfTheNumberOfThreads) {
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    const ModelSpec spec = question_spec(net, ReaderKind::skim, 2, true);
    const Model model = load_model(random_draft(spec, 7));
    std::vector<Query> queries;
    for (std::uint64_t i = 0; i < 40; ++i) queries.push_back(make_query(spec, 5 + 3 * i, i));
    std::vector<Result<Reading>> together(queries.size());
    Batch(model, 3).read(queries, Policy{}, together);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_TRUE(together[i].has_value());
      const Reading alone = read(model, queries[i]);
      EXPECT_EQ(together[i]->scores, alone.scores);
      EXPECT_EQ(together[i]->answer.text, alone.answer.text);
    }
  }
}

TEST(QuestionLaws, ReportsMissingAndUnexpectedFields) {
  const Model span =
      load_model(random_draft(question_spec(NetKind::span, ReaderKind::dense, 1, true), 8));
  EXPECT_THAT(read_error(span, {"a", "", {}}), HasSubstr("no question was given"));
  EXPECT_THAT(read_error(span, {"a", " \n", {}}), HasSubstr("no question was given"));
  EXPECT_THAT(read_error(span, {"a", "b", {"c"}}), HasSubstr("takes no choices"));
  EXPECT_THAT(Session(span).begin().error().message, HasSubstr("answers questions about a whole"));
  const Model cloze =
      load_model(random_draft(question_spec(NetKind::cloze, ReaderKind::dense, 1, false), 8));
  EXPECT_THAT(read_error(cloze, {"a", "", {"c"}}), HasSubstr("no question was given"));
  EXPECT_THAT(read_error(cloze, {"a", "b", {}}), HasSubstr("no choices were given"));
}

}  // namespace
}  // namespace skim

#include "spec/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> lines(const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> out;
  for (const TensorSpec& tensor : tensors) {
    std::string line = tensor.name;
    for (const std::size_t extent : tensor.shape) line.append(" ").append(std::to_string(extent));
    out.push_back(line + (tensor.quantized ? " q" : ""));
  }
  return out;
}

std::string check_error(const ReaderSpec& spec) {
  const auto result = check(spec);
  return result ? "(no error)" : result.error().message;
}

ModelSpec valid_model() {
  ModelSpec spec;
  spec.vocab_size = 50;
  spec.embedding_size = 7;
  spec.reader.hidden_size = 6;
  spec.reader.skim_sizes = {2};
  spec.labels = {"bad", "good"};
  return spec;
}

TEST(ModelTensors, SubwordsHaveATableThatIsQuantizedLikeTheEmbeddings) {
  ModelSpec spec = valid_model();
  spec.subwords.num_buckets = 30;
  const std::vector<std::string> all = lines(model_tensors(spec));
  EXPECT_EQ(all[0], "embedding.weight 50 7 q");
  EXPECT_EQ(all[1], "subword.weight 30 7 q");
}

TEST(ReaderTensors, SkimLstm) {
  const ReaderSpec spec{.input_size = 7, .hidden_size = 6, .skim_sizes = {2}};
  EXPECT_THAT(lines(reader_tensors(spec)),
              ElementsAre("big.weight_ih 24 7 q", "big.weight_hh 24 6 q", "big.bias 24",
                          "small.1.weight_ih 8 7", "small.1.weight_hh 8 2", "small.1.bias 8",
                          "decision.weight_ih 2 7", "decision.weight_hh 2 6", "decision.bias 2"));
}

TEST(ReaderTensors, GruWithFullSmallInputAndASkipLevel) {
  const ReaderSpec spec{.cell = Cell::gru,
                        .input_size = 7,
                        .hidden_size = 6,
                        .skim_sizes = {3, 0},
                        .small_input = SmallInput::full,
                        .decision = Decision::dot};
  EXPECT_THAT(
      lines(reader_tensors(spec)),
      ElementsAre("big.weight_ih 18 7 q", "big.weight_hh 18 6 q", "big.bias 18", "big.bias_hn 6",
                  "small.1.weight_ih 9 7", "small.1.weight_hh 9 6", "small.1.bias 9",
                  "small.1.bias_hn 3", "decision.scale 3", "decision.bias 3"));
}

TEST(ReaderTensors, DenseReaderHasTheBigCellOnly) {
  const ReaderSpec spec{.kind = ReaderKind::dense,
                        .cell = Cell::rnn,
                        .input_size = 7,
                        .hidden_size = 6,
                        .skim_sizes = {}};
  EXPECT_THAT(lines(reader_tensors(spec)),
              ElementsAre("big.weight_ih 6 7 q", "big.weight_hh 6 6 q", "big.bias 6"));
}

TEST(ReaderTensors, LinearCellDecisionTakesTheCellState) {
  const ReaderSpec spec{
      .input_size = 7, .hidden_size = 6, .skim_sizes = {0}, .decision = Decision::linear_cell};
  EXPECT_THAT(lines(reader_tensors(spec)),
              ElementsAre("big.weight_ih 24 7 q", "big.weight_hh 24 6 q", "big.bias 24",
                          "decision.weight_ih 2 7", "decision.weight_hh 2 6",
                          "decision.weight_ch 2 6", "decision.bias 2"));
}

TEST(ModelTensors, HigherLayersReadBothDirectionsConcatenated) {
  ModelSpec spec = valid_model();
  spec.num_layers = 2;
  spec.bidirectional = true;
  spec.pooling = Pooling::attention;
  const auto list = lines(model_tensors(spec));
  ASSERT_EQ(list.size(), 1U + 4 * 9 + 3);
  EXPECT_EQ(list[0], "embedding.weight 50 7 q");
  EXPECT_EQ(list[1], "reader.0.forward.big.weight_ih 24 7 q");
  EXPECT_EQ(list[10], "reader.0.backward.big.weight_ih 24 7 q");
  EXPECT_EQ(list[19], "reader.1.forward.big.weight_ih 24 12 q");
  EXPECT_EQ(list[37], "pooling.weight 12");
  EXPECT_EQ(list[38], "head.weight 2 12");
  EXPECT_EQ(list[39], "head.bias 2");
}

TEST(ModelTensors, QuestionAnsweringNetsHaveTheirOwnTensors) {
  ModelSpec spec = valid_model();
  spec.labels = {};
  spec.net = NetKind::cloze;
  auto list = lines(model_tensors(spec));
  EXPECT_THAT(std::vector(list.end() - 2, list.end()),
              ElementsAre("choice.weight 7 6", "choice.bias 7"));
  spec.net = NetKind::span;
  spec.bidirectional = true;
  list = lines(model_tensors(spec));
  EXPECT_EQ(list[1], "reader.0.forward.big.weight_ih 24 21 q")
      << "word, question and their product";
  EXPECT_THAT(
      std::vector(list.end() - 4, list.end()),
      ElementsAre("attention.query 7", "attention.product 7", "start.weight 12", "end.weight 12"));
}

TEST(CheckReader, AcceptsEveryKind) {
  EXPECT_EQ(check_error(ReaderSpec{}), "(no error)");
  EXPECT_EQ(check_error({.kind = ReaderKind::dense, .skim_sizes = {}}), "(no error)");
  EXPECT_EQ(check_error({.hidden_size = 1, .skim_sizes = {0}}), "(no error)");
  EXPECT_EQ(check_error({.hidden_size = 4096, .skim_sizes = {7, 6, 5, 4, 3, 2, 1}}), "(no error)");
}

TEST(CheckReader, NamesTheInvalidField) {
  EXPECT_THAT(check_error({.hidden_size = 0}), HasSubstr("reader.hidden_size is 0"));
  EXPECT_THAT(check_error({.hidden_size = 5000}), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(check_error({.input_size = -1}), HasSubstr("reader.input_size is -1"));
  EXPECT_THAT(check_error({.skim_sizes = {}}), HasSubstr("reader.skim_sizes is empty"));
  EXPECT_THAT(check_error({.kind = ReaderKind::dense}),
              HasSubstr("reader.skim_sizes must be empty"));
  EXPECT_THAT(check_error({.skim_sizes = {100}}),
              HasSubstr("reader.skim_sizes holds 100 after 100"));
  EXPECT_THAT(check_error({.skim_sizes = {5, 5}}), HasSubstr("reader.skim_sizes holds 5 after 5"));
  EXPECT_THAT(check_error({.skim_sizes = {-1}}), HasSubstr("reader.skim_sizes holds -1"));
  EXPECT_THAT(check_error({.skim_sizes = {8, 7, 6, 5, 4, 3, 2, 1}}), HasSubstr("has 8 sizes"));
  EXPECT_THAT(check_error({.cell = Cell::gru, .decision = Decision::linear_cell}),
              HasSubstr("reader.decision is linear_cell"));
}

TEST(CheckModel, NamesTheInvalidField) {
  const auto error_with = [](auto change) {
    ModelSpec spec = valid_model();
    change(spec);
    const auto result = check(spec);
    return result ? "(no error)" : result.error().message;
  };
  EXPECT_EQ(error_with([](ModelSpec&) {}), "(no error)");
  EXPECT_THAT(error_with([](ModelSpec& s) { s.net = NetKind::span; }),
              HasSubstr("labels must be empty"));
  EXPECT_THAT(error_with([](ModelSpec& s) {
                s.net = NetKind::cloze;
                s.labels = {};
                s.pooling = Pooling::max;
              }),
              HasSubstr("pooling must be 'last'"));
  const auto jumps = [&](auto change) {
    return error_with([&](ModelSpec& s) {
      s.reader.kind = ReaderKind::lstm_jump;
      s.reader.skim_sizes = {};
      s.reader.jump.sentence_end_ids = {1, 49};
      change(s);
    });
  };
  EXPECT_EQ(jumps([](ModelSpec&) {}), "(no error)");
  EXPECT_THAT(jumps([](ModelSpec& s) { s.reader.jump.sentence_end_ids = {50}; }),
              HasSubstr("reader.jump.sentence_end_ids is 50"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.reader.jump.sentence_end_ids.resize(17); }),
              HasSubstr("17 ids"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.num_layers = 2; }),
              HasSubstr("single unidirectional layer"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.bidirectional = true; }),
              HasSubstr("single unidirectional layer"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.vocab_size = 0; }), HasSubstr("vocab_size is 0"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.embedding_size = 0; }),
              HasSubstr("embedding_size is 0"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.num_layers = 17; }), HasSubstr("num_layers is 17"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.reader.hidden_size = 0; }),
              HasSubstr("reader.hidden_size"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {}; }), HasSubstr("labels is empty"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {"a", ""}; }), HasSubstr("empty label"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {"a", "a"}; }), HasSubstr("'a' twice"));
}

}  // namespace
}  // namespace skim

// Parity of runtime and trainer: every reader, cell, pooling and shape with random weights. Both
// must make the same decision for every word and give the same scores.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/model.h"
#include "skim/verify.h"
#include "spec/names.h"
#include "train/export.h"

namespace skim::train {
namespace {

Vocabulary make_test_vocabulary() {
  Vocabulary made;
  made.embedding_size = 9;
  const CounterRng rng(3);
  for (std::size_t i = 0; i < 120; ++i) {
    std::string word = i == 0 ? "<unknown>" : "w";
    for (std::size_t rest = i; i > 0 && rest > 0; rest /= 26)
      word += static_cast<char>('a' + rest % 26);
    made.words.push_back(word);
    made.pretrained.push_back(0);
    for (std::size_t j = 0; j < 9; ++j) made.embeddings.push_back(2 * rng.at(i).uniform(j) - 1);
  }
  return made;
}

void expect_parity(ModelSpec spec, Vocabulary vocabulary) {
  if (spec.net == NetKind::classifier) spec.labels = {"no", "perhaps", "yes"};
  spec.vocab_size = static_cast<int>(vocabulary.words.size());
  spec.embedding_size = static_cast<int>(vocabulary.embedding_size);
  spec.reader.input_size = spec.input_size();
  SCOPED_TRACE(
      std::string(to_string(spec.net)) + " " + std::string(to_string(spec.reader.kind)) + " " +
      std::string(to_string(spec.reader.cell)) + " " +
      std::string(to_string(spec.reader.decision)) + " " + std::string(to_string(spec.pooling)) +
      ", " + std::to_string(spec.reader.skim_sizes.size()) + " small, " +
      std::to_string(spec.num_layers) + " layers" + (spec.bidirectional ? ", bidirectional" : ""));
  FitOptions options;
  options.seed = 5;
  options.read_bias_init = 0;
  const Weights weights(spec, options);
  Snapshot snapshot;
  for (const std::string& name : weights.names()) {
    const torch::Tensor& tensor = weights.at(name);
    snapshot.weights[name].assign(tensor.data_ptr<float>(),
                                  tensor.data_ptr<float>() + tensor.numel());
  }
  snapshot.embeddings = vocabulary.embeddings;
  if (spec.subwords.enabled()) {
    vocabulary.subwords =
        std::make_shared<SubwordIndex>(spec.subwords, vocabulary.words, spec.tokenizer);
    const CounterRng rng(4);
    for (int i = 0; i < spec.subwords.num_buckets * spec.embedding_size; ++i)
      snapshot.subwords.push_back(2 * rng.uniform(static_cast<std::uint64_t>(i)) - 1);
  }
  auto bytes = to_bytes(make_draft(spec, vocabulary, snapshot, "", 5));
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  const auto model = Model::from_bytes(std::move(*bytes));
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto report = verify(*model);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->probes, 10);
  EXPECT_TRUE(report->ok()) << report->messages.front();
  EXPECT_LT(report->max_score_error, 2e-5);
}

ModelSpec make_spec(Cell cell, std::vector<int> small) {
  ModelSpec spec;
  spec.reader.kind = small.empty() ? ReaderKind::dense : ReaderKind::skim;
  spec.reader.cell = cell;
  spec.reader.hidden_size = 21;
  spec.reader.skim_sizes = std::move(small);
  return spec;
}

class Parity : public testing::TestWithParam<Cell> {};

TEST_P(Parity, UnknownWordsThatAreComposedOfNgrams) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const NetKind net : {NetKind::classifier, NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    for (const std::vector<int>& small : std::vector<std::vector<int>>{{}, {5}}) {
      ModelSpec spec = make_spec(GetParam(), small);
      spec.net = net;
      spec.subwords = {2, 4, 30};
      expect_parity(spec, vocabulary);
    }
  }
}

TEST_P(Parity, EveryPoolingAndDepth) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
    for (const std::vector<int>& small : std::vector<std::vector<int>>{{}, {5}, {0}, {12, 5}}) {
      for (const int layers : {1, 2}) {
        for (const bool both : {false, true}) {
          ModelSpec spec = make_spec(GetParam(), small);
          spec.pooling = pooling;
          spec.num_layers = layers;
          spec.bidirectional = both;
          expect_parity(spec, vocabulary);
        }
      }
    }
  }
}

TEST_P(Parity, EveryDecisionAndSmallInput) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
    if (decision == Decision::linear_cell && GetParam() != Cell::lstm) continue;
    for (const SmallInput sees : {SmallInput::prefix, SmallInput::full}) {
      for (const std::vector<int>& small : std::vector<std::vector<int>>{{5}, {0}, {12, 5, 0}}) {
        ModelSpec spec = make_spec(GetParam(), small);
        spec.reader.decision = decision;
        spec.reader.small_input = sees;
        expect_parity(spec, vocabulary);
      }
    }
  }
}

TEST_P(Parity, OtherReadingMethods) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const ReaderKind kind : {ReaderKind::lstm_jump, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
    for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
      for (const bool deep : {false, true}) {
        ModelSpec spec = make_spec(GetParam(), {});
        spec.reader.kind = kind;
        spec.reader.jump = {.tokens_per_jump = 4, .max_jump = 6, .max_jumps = 9};
        spec.pooling = pooling;
        spec.num_layers = deep ? 2 : 1;
        spec.bidirectional = deep;
        expect_parity(spec, vocabulary);
      }
    }
  }
}

TEST_P(Parity, QuestionAnsweringNets) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    for (const ReaderKind kind :
         {ReaderKind::dense, ReaderKind::skim, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
      for (const int layers : {1, 2}) {
        for (const bool both : {false, true}) {
          // These two are slow, and their deepest net covers the others.
          const bool slow = kind == ReaderKind::skip_rnn || kind == ReaderKind::vcrnn;
          if (slow && (layers == 1 || !both)) continue;
          ModelSpec spec = make_spec(GetParam(), {});
          spec.net = net;
          spec.char_cnn = {.embedding_size = 3, .num_filters = 5, .kernel_size = 4};
          spec.reader.kind = kind;
          if (kind == ReaderKind::skim)
            spec.reader.skim_sizes = both ? std::vector{5} : std::vector{0};
          spec.num_layers = layers;
          spec.bidirectional = both;
          expect_parity(spec, vocabulary);
        }
      }
    }
  }
}

TEST_P(Parity, LstmJumpReadsTheQuestionWhole) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const bool deep : {false, true}) {
    ModelSpec spec = make_spec(GetParam(), {});
    spec.net = NetKind::cloze;
    spec.reader.kind = ReaderKind::lstm_jump;
    spec.reader.jump = {.tokens_per_jump = 4, .max_jump = 6, .max_jumps = 9};
    spec.num_layers = deep ? 2 : 1;
    spec.bidirectional = deep;
    expect_parity(spec, vocabulary);
  }
}

TEST_P(Parity, LstmJumpOverSentences) {
  const Vocabulary vocabulary = make_test_vocabulary();
  for (const NetKind net : {NetKind::classifier, NetKind::cloze}) {
    for (const int run : {1, 2}) {
      ModelSpec spec = make_spec(GetParam(), {});
      spec.net = net;
      spec.reader.kind = ReaderKind::lstm_jump;
      spec.reader.jump = {.tokens_per_jump = run,
                          .max_jump = 3,
                          .max_jumps = 6,
                          .sentence_end_ids = {7, 19, 44, 81, 100, 113}};
      expect_parity(spec, vocabulary);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, Parity, testing::Values(Cell::lstm, Cell::gru, Cell::rnn));

}  // namespace
}  // namespace skim::train

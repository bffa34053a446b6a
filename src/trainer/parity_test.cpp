// The runtime against the trainer: every reader, cell, pooling and shape with random weights. What
// the trainer reads in a text, word by word, the model file must read too.
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

Vocabulary some_words() {
  Vocabulary made;
  made.width = 9;
  const Noise noise(3);
  for (std::size_t i = 0; i < 120; ++i) {
    std::string word = i == 0 ? "<unknown>" : "w";
    for (std::size_t rest = i; i > 0 && rest > 0; rest /= 26)
      word += static_cast<char>('a' + rest % 26);
    made.words.push_back(word);
    made.known.push_back(0);
    for (std::size_t j = 0; j < 9; ++j) made.vectors.push_back(2 * noise.at(i).share(j) - 1);
  }
  return made;
}

void expect_parity(ModelSpec spec, const Vocabulary& vocabulary) {
  if (spec.net == NetKind::classifier) spec.labels = {"no", "perhaps", "yes"};
  spec.vocabulary = static_cast<int>(vocabulary.words.size());
  spec.word_width = static_cast<int>(vocabulary.width);
  spec.reader.input = spec.input_width();
  SCOPED_TRACE(std::string(name_of(spec.net)) + " " + std::string(name_of(spec.reader.kind)) + " " +
               std::string(name_of(spec.reader.cell)) + " " +
               std::string(name_of(spec.reader.decision)) + " " +
               std::string(name_of(spec.pooling)) + ", " +
               std::to_string(spec.reader.small.size()) + " small, " + std::to_string(spec.layers) +
               " layers" + (spec.bidirectional ? ", both ways" : ""));
  FitOptions options;
  options.seed = 5;
  options.read_bias = 0;
  const Weights weights(spec, options);
  Snapshot snapshot;
  for (const std::string& name : weights.names()) {
    const torch::Tensor& tensor = weights.at(name);
    snapshot.weights[name].assign(tensor.data_ptr<float>(),
                                  tensor.data_ptr<float>() + tensor.numel());
  }
  snapshot.words = vocabulary.vectors;
  auto bytes = to_bytes(make_draft(spec, vocabulary, snapshot, "", 5));
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  const auto model = Model::from_bytes(std::move(*bytes));
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto report = verify(*model);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->probes, 10);
  EXPECT_TRUE(report->ok()) << report->messages.front();
  EXPECT_LT(report->worst_score_error, 2e-5);
}

ModelSpec spec_of(Cell cell, std::vector<int> small) {
  ModelSpec spec;
  spec.reader.kind = small.empty() ? ReaderKind::full : ReaderKind::skim;
  spec.reader.cell = cell;
  spec.reader.hidden = 21;
  spec.reader.small = std::move(small);
  return spec;
}

class Parity : public testing::TestWithParam<Cell> {};

TEST_P(Parity, OfEveryPoolingAndDepth) {
  const Vocabulary vocabulary = some_words();
  for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
    for (const std::vector<int>& small : std::vector<std::vector<int>>{{}, {5}, {0}, {12, 5}}) {
      for (const int layers : {1, 2}) {
        for (const bool both : {false, true}) {
          ModelSpec spec = spec_of(GetParam(), small);
          spec.pooling = pooling;
          spec.layers = layers;
          spec.bidirectional = both;
          expect_parity(spec, vocabulary);
        }
      }
    }
  }
}

TEST_P(Parity, OfEveryDecisionAndView) {
  const Vocabulary vocabulary = some_words();
  for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
    if (decision == Decision::linear_cell && GetParam() != Cell::lstm) continue;
    for (const SmallSees sees : {SmallSees::head, SmallSees::all}) {
      for (const std::vector<int>& small : std::vector<std::vector<int>>{{5}, {0}, {12, 5, 0}}) {
        ModelSpec spec = spec_of(GetParam(), small);
        spec.reader.decision = decision;
        spec.reader.small_sees = sees;
        expect_parity(spec, vocabulary);
      }
    }
  }
}

TEST_P(Parity, OfTheOtherMethods) {
  const Vocabulary vocabulary = some_words();
  for (const ReaderKind kind : {ReaderKind::jump, ReaderKind::skip, ReaderKind::vary}) {
    for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
      for (const bool deep : {false, true}) {
        ModelSpec spec = spec_of(GetParam(), {});
        spec.reader.kind = kind;
        spec.reader.jump = {.run = 4, .reach = 6, .most = 9};
        spec.pooling = pooling;
        spec.layers = deep ? 2 : 1;
        spec.bidirectional = deep;
        expect_parity(spec, vocabulary);
      }
    }
  }
}

TEST_P(Parity, OfNetsThatAnswerQuestions) {
  const Vocabulary vocabulary = some_words();
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    for (const ReaderKind kind :
         {ReaderKind::full, ReaderKind::skim, ReaderKind::skip, ReaderKind::vary}) {
      for (const int layers : {1, 2}) {
        for (const bool both : {false, true}) {
          // These two take most of the time, and their deepest net holds every other one.
          const bool slow = kind == ReaderKind::skip || kind == ReaderKind::vary;
          if (slow && (layers == 1 || !both)) continue;
          ModelSpec spec = spec_of(GetParam(), {});
          spec.net = net;
          spec.letters = {.width = 3, .filters = 5, .window = 4};
          spec.reader.kind = kind;
          if (kind == ReaderKind::skim) spec.reader.small = both ? std::vector{5} : std::vector{0};
          spec.layers = layers;
          spec.bidirectional = both;
          expect_parity(spec, vocabulary);
        }
      }
    }
  }
}

// The question is read whole, whichever end of the text it stands at for the reader.
TEST_P(Parity, OfJumpsBeforeAQuestion) {
  const Vocabulary vocabulary = some_words();
  for (const bool deep : {false, true}) {
    ModelSpec spec = spec_of(GetParam(), {});
    spec.net = NetKind::cloze;
    spec.reader.kind = ReaderKind::jump;
    spec.reader.jump = {.run = 4, .reach = 6, .most = 9};
    spec.layers = deep ? 2 : 1;
    spec.bidirectional = deep;
    expect_parity(spec, vocabulary);
  }
}

TEST_P(Parity, OfJumpsOverSentences) {
  const Vocabulary vocabulary = some_words();
  for (const NetKind net : {NetKind::classifier, NetKind::cloze}) {
    for (const int run : {1, 2}) {
      ModelSpec spec = spec_of(GetParam(), {});
      spec.net = net;
      spec.reader.kind = ReaderKind::jump;
      spec.reader.jump = {.run = run, .reach = 3, .most = 6, .ends = {7, 19, 44, 81, 100, 113}};
      expect_parity(spec, vocabulary);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, Parity, testing::Values(Cell::lstm, Cell::gru, Cell::rnn));

}  // namespace
}  // namespace skim::train

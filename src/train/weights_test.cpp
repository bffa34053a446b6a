#include "train/weights.h"

#include <gtest/gtest.h>

namespace skim::train {
namespace {

ModelSpec cloze_spec() {
  ModelSpec spec;
  spec.net = NetKind::cloze;
  spec.embedding_size = 6;
  spec.reader.kind = ReaderKind::dense;
  spec.reader.hidden_size = 50;
  spec.reader.skim_sizes.clear();
  return spec;
}

// PyTorch's order of gates: i, f, g, o.
torch::Tensor gate(const torch::Tensor& all_gates, std::int64_t index) {
  const std::int64_t units = all_gates.size(0) / 4;
  return all_gates.narrow(0, index * units, units);
}

TEST(Weights, ChronoInitSpreadsTheMemoryOfAnLstm) {
  const torch::NoGradGuard guard;
  const Weights standard(cloze_spec(), {});
  EXPECT_TRUE(torch::equal(gate(standard.at("reader.0.forward.big.bias"), 1), torch::ones(50)));
  EXPECT_TRUE(torch::equal(gate(standard.at("reader.0.forward.big.bias"), 0), torch::zeros(50)));

  FitOptions options;
  options.chrono_init = 400;
  const Weights chrono(cloze_spec(), options);
  const torch::Tensor bias = chrono.at("reader.0.forward.big.bias");
  // A forget gate of g remembers 1 / (1 - g) words.
  const torch::Tensor words = 1 / (1 - torch::sigmoid(gate(bias, 1)));
  EXPECT_GE(words.min().item<float>(), 2 - 1e-3F);
  EXPECT_LE(words.max().item<float>(), 400 + 0.1F);
  EXPECT_GT(words.mean().item<float>(), 120);
  EXPECT_LT(words.mean().item<float>(), 280);
  EXPECT_TRUE(torch::equal(gate(bias, 0), -gate(bias, 1)));
}

TEST(Weights, InitTiedOutputFavoursWordsThatWereRead) {
  const torch::NoGradGuard guard;
  const Weights weights(cloze_spec(), {});
  const torch::Tensor weight_ih = gate(weights.at("reader.0.forward.big.weight_ih"), 2);
  EXPECT_TRUE(torch::equal(weights.at("choice.weight"), weight_ih.t()));
  const torch::Tensor word = torch::ones(6);
  EXPECT_GT(word.dot(weights.at("choice.weight").mv(torch::tanh(weight_ih.mv(word)))).item<float>(),
            0);
}

}  // namespace
}  // namespace skim::train

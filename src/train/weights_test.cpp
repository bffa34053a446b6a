#include "train/weights.h"

#include <gtest/gtest.h>

namespace skim::train {
namespace {

ModelSpec cloze_spec() {
  ModelSpec spec;
  spec.net = NetKind::cloze;
  spec.word_width = 6;
  spec.reader.kind = ReaderKind::full;
  spec.reader.hidden = 50;
  spec.reader.small.clear();
  return spec;
}

// PyTorch's order of gates: i, f, g, o.
torch::Tensor gate(const torch::Tensor& of_all, std::int64_t index) {
  const std::int64_t units = of_all.size(0) / 4;
  return of_all.narrow(0, index * units, units);
}

TEST(Weights, OfAnLstmForgetSoonUnlessMemoryIsAskedFor) {
  const torch::NoGradGuard guard;
  const Weights usual(cloze_spec(), {});
  EXPECT_TRUE(torch::equal(gate(usual.at("reader.0.forward.big.b"), 1), torch::ones(50)));
  EXPECT_TRUE(torch::equal(gate(usual.at("reader.0.forward.big.b"), 0), torch::zeros(50)));

  FitOptions options;
  options.memory = 400;
  const Weights long_lived(cloze_spec(), options);
  const torch::Tensor bias = long_lived.at("reader.0.forward.big.b");
  // A gate of g keeps for 1 / (1 - g) words.
  const torch::Tensor words = 1 / (1 - torch::sigmoid(gate(bias, 1)));
  EXPECT_GE(words.min().item<float>(), 2 - 1e-3F);
  EXPECT_LE(words.max().item<float>(), 400 + 0.1F);
  EXPECT_GT(words.mean().item<float>(), 120);
  EXPECT_LT(words.mean().item<float>(), 280);
  EXPECT_TRUE(torch::equal(gate(bias, 0), -gate(bias, 1)));
}

TEST(Weights, OfGapFillingBeginInFavourOfWordsThatWereRead) {
  const torch::NoGradGuard guard;
  const Weights weights(cloze_spec(), {});
  const torch::Tensor taken_in = gate(weights.at("reader.0.forward.big.w"), 2);
  EXPECT_TRUE(torch::equal(weights.at("choice.w"), taken_in.t()));
  const torch::Tensor word = torch::ones(6);
  EXPECT_GT(word.dot(weights.at("choice.w").mv(torch::tanh(taken_in.mv(word)))).item<float>(), 0);
}

}  // namespace
}  // namespace skim::train

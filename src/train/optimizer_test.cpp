#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/json.h"
#include "train/word_embeddings.h"

namespace skim::train {
namespace {

using Floats = std::vector<float>;

// Twenty steps of torch.optim.Adam (tools/oracle/adam.py) in double precision. Ours compute in 32
// bits: each step of about 0.01 is rounded to 24 bits of a weight below 2.
constexpr float kOptimizerTolerance = 2e-6F;

// The model whose tensors the fixture holds.
ModelSpec adam_spec() {
  ModelSpec spec;
  spec.embedding_size = 4;
  spec.reader.kind = ReaderKind::dense;
  spec.reader.cell = Cell::rnn;
  spec.reader.input_size = 4;
  spec.reader.hidden_size = 3;
  spec.reader.skim_sizes.clear();
  spec.labels = {"no", "yes"};
  return spec;
}

Json load_adam_fixture() {
  std::stringstream text;
  text << std::ifstream(SKIM_ORACLES "/adam.json").rdbuf();
  const Result<Json> json = parse_json(text.str(), "adam.json");
  EXPECT_TRUE(json.has_value()) << json.error().message;
  return json.value_or(Json());
}

AdamOptions to_options(const Json& json) {
  AdamOptions options;
  options.learning_rate = json["lr"];
  options.beta1 = json["beta1"];
  options.beta2 = json["beta2"];
  options.epsilon = json["epsilon"];
  options.clip = json["clip"];
  options.ema_decay = json["ema_decay"];
  options.embedding_lr_scale = json["embedding_lr_scale"];
  return options;
}

// Whole numbers that stand for multiples of 1/64.
Floats scaled_values(const Json& json) {
  Floats values = json.get<Floats>();
  for (float& value : values) value /= 64;
  return values;
}

Vocabulary to_vocabulary(const Json& json) {
  Vocabulary vocabulary;
  vocabulary.embedding_size = json["size"];
  vocabulary.embeddings = scaled_values(json["initial"]);
  for (const bool pretrained : json["pretrained"].get<std::vector<bool>>()) {
    vocabulary.words.push_back("word" + std::to_string(vocabulary.words.size()));
    vocabulary.pretrained.push_back(pretrained ? 1 : 0);
  }
  vocabulary.num_trainable = json["trainable_words"];
  return vocabulary;
}

InitialRows to_rows(const Json& fixture, const AdamOptions& options) {
  const Vocabulary vocabulary = to_vocabulary(fixture["embedding"]);
  return {vocabulary.embeddings, vocabulary.embedding_size, word_lr_scales(vocabulary, options)};
}

Floats to_vector(const torch::Tensor& tensor) {
  const torch::Tensor dense = tensor.detach().contiguous();
  return {dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel()};
}

void expect_near(const Floats& ours, const Json& expected) {
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i], expected[i].get<float>(), kOptimizerTolerance) << "value " << i;
}

// All that a step moves.
struct Training {
  explicit Training(const Json& fixture)
      : weights(adam_spec(), {}),
        adam(weights, to_options(fixture["options"])),
        embeddings(to_rows(fixture, to_options(fixture["options"])),
                   to_options(fixture["options"])),
        clip(fixture["options"]["clip"]) {
    const torch::NoGradGuard guard;
    for (const std::string& name : weights.names()) {
      const torch::Tensor& tensor = weights.at(name);
      const Floats initial = scaled_values(fixture["initial"][name]);
      std::copy(initial.begin(), initial.end(), tensor.data_ptr<float>());
    }
    adam.reset_ema();
  }

  double step(std::int64_t number, const Json& step) {
    const torch::NoGradGuard guard;
    for (const std::string& name : weights.names()) {
      const torch::Tensor& tensor = weights.at(name);
      tensor.mutable_grad() =
          torch::tensor(scaled_values(step["gradients"][name])).view(tensor.sizes());
    }
    Floats gradients;
    adam.collect_gradients(gradients);
    const Floats of_words = scaled_values(step["word_gradients"]);
    gradients.insert(gradients.end(), of_words.begin(), of_words.end());
    const double scale = clip_scale(gradient_norm(gradients), clip);
    adam.update(gradients.data(), number, scale);
    embeddings.update(step["words"].get<std::vector<std::int32_t>>(),
                      gradients.data() + adam.size(), number, scale);
    return scale;
  }

  void compare(const Json& values, const Json& ema) const {
    std::map<std::string, Floats> our_ema;
    adam.copy_ema_to(our_ema);
    for (const std::string& name : weights.names()) {
      SCOPED_TRACE(name);
      expect_near(to_vector(weights.at(name)), values[name]);
      expect_near(our_ema[name], ema[name]);
    }
    expect_near(embeddings.values, values["embedding"]);
    expect_near(embeddings.ema_values(), ema["embedding"]);
  }

  Weights weights;
  Adam adam;
  EmbeddingTable embeddings;
  double clip;
};

TEST(Optimizer, ClippedAdamWithEmaEqualsTorchOptim) {
  const Json fixture = load_adam_fixture();
  Training training(fixture);
  int compared = 0;
  for (std::size_t i = 0; i < fixture["steps"].size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    const Json& step = fixture["steps"][i];
    const auto number = static_cast<std::int64_t>(i);
    EXPECT_NEAR(training.step(number, step), step["clip_scale"].get<double>(), 1e-6);
    if (!step.contains("values")) continue;
    training.embeddings.update_all_ema(number + 1);
    training.compare(step["values"], step["ema"]);
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST(Optimizer, EmbeddingsChangeOnlyInStepsThatUseThem) {
  const Json fixture = load_adam_fixture();
  Training training(fixture);
  const Floats before = training.embeddings.values;
  const Floats gradients(8, 1.0F);
  training.embeddings.update({1, 4}, gradients.data(), 0, 1);  // word 4 is not trained
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(training.embeddings.values[i] != before[i], i / 4 == 1) << "value " << i;
}

TEST(Optimizer, AnEmaDecayOfZeroKeepsNoEma) {
  const Json fixture = load_adam_fixture();
  AdamOptions options = to_options(fixture["options"]);
  options.ema_decay = 0;
  EmbeddingTable embeddings(to_rows(fixture, options), options);
  embeddings.update({0}, Floats(4, 1.0F).data(), 0, 1);
  EXPECT_EQ(&embeddings.ema_values(), &embeddings.values);
}

TEST(Optimizer, GradientsAreClippedToTheirCommonNorm) {
  const double norm = gradient_norm({3, 4});
  EXPECT_DOUBLE_EQ(clip_scale(norm, 2.5), 0.5);
  EXPECT_DOUBLE_EQ(clip_scale(norm, 5), 1);
  EXPECT_DOUBLE_EQ(clip_scale(norm, 0), 1) << "no limit";
  EXPECT_DOUBLE_EQ(clip_scale(gradient_norm({0, 0}), 1), 1);
}

TEST(Optimizer, TheNormIsFiniteExactlyWhenAllGradientsAre) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isfinite(gradient_norm({kLargest, -kLargest, kLargest})));
  EXPECT_FALSE(std::isfinite(gradient_norm({1, -kInfinity, kInfinity})));
  EXPECT_FALSE(std::isfinite(gradient_norm({std::numeric_limits<float>::quiet_NaN(), 1})));
}

// A rate of 1e39 is infinite as a float; the weights were saved in a checkpoint all the same.
TEST(Optimizer, AnUpdateThatOverflowsIsNotFinite) {
  const Json fixture = load_adam_fixture();
  Training training(fixture);
  training.step(0, fixture["steps"][0]);
  EXPECT_TRUE(training.adam.is_finite());
  EXPECT_TRUE(training.embeddings.is_finite({0, 1, 2}));
  training.embeddings.values[5] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(training.embeddings.is_finite({0, 2}));
  EXPECT_FALSE(training.embeddings.is_finite({0, 1, 2})) << "row 1 of four columns";
  const Floats huge(training.adam.size(), 1e30F);
  training.adam.update(huge.data(), 1, 1);
  EXPECT_FALSE(training.adam.is_finite()) << "the squares of the gradients overflow";
}

TEST(Optimizer, UniqueIdsAreSorted) {
  EXPECT_EQ(unique_ids({5, 1, 5, 0, 1}), (std::vector<std::int32_t>{0, 1, 5}));
}

}  // namespace
}  // namespace skim::train

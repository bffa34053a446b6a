// Runs a skimming LSTM layer with custom weights over rows of floats instead of text: a noisy
// sensor that is read only when its value changes.
#include <skim/layer.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kInputSize = 1;
constexpr int kHiddenSize = 8;
constexpr int kSkimSize = 2;

struct Weights {
  std::vector<float> big_weight_ih = std::vector<float>(4 * kHiddenSize * kInputSize, 0.5F);
  std::vector<float> big_weight_hh = std::vector<float>(4 * kHiddenSize * kHiddenSize, 0.05F);
  std::vector<float> big_bias = std::vector<float>(4 * kHiddenSize, 0.0F);
  std::vector<float> small_weight_ih = std::vector<float>(4 * kSkimSize * kInputSize, 0.5F);
  std::vector<float> small_weight_hh = std::vector<float>(4 * kSkimSize * kSkimSize, 0.05F);
  std::vector<float> small_bias = std::vector<float>(4 * kSkimSize, 0.0F);
  // Reads a row when its value x is above 0.5: the difference of the two logits is 8 x - 4.
  std::vector<float> decision_weight_ih = {4.0F, -4.0F};
  std::vector<float> decision_weight_hh = std::vector<float>(2 * kHiddenSize, 0.0F);
  std::vector<float> decision_bias = {-2.0F, 2.0F};

  std::vector<skim::NamedTensor> tensors() const {
    return {{"big.weight_ih", {4 * kHiddenSize, kInputSize}, big_weight_ih},
            {"big.weight_hh", {4 * kHiddenSize, kHiddenSize}, big_weight_hh},
            {"big.bias", {4 * kHiddenSize}, big_bias},
            {"small.1.weight_ih", {4 * kSkimSize, kInputSize}, small_weight_ih},
            {"small.1.weight_hh", {4 * kSkimSize, kSkimSize}, small_weight_hh},
            {"small.1.bias", {4 * kSkimSize}, small_bias},
            {"decision.weight_ih", {2, kInputSize}, decision_weight_ih},
            {"decision.weight_hh", {2, kHiddenSize}, decision_weight_hh},
            {"decision.bias", {2}, decision_bias}};
  }
};

}  // namespace

int main() {
  skim::ReaderSpec spec;
  spec.input_size = kInputSize;
  spec.hidden_size = kHiddenSize;
  spec.skim_sizes = {kSkimSize};

  const Weights weights;
  const skim::Result<skim::Layer> layer = skim::Layer::create(spec, weights.tensors());
  if (!layer) {
    std::fprintf(stderr, "%s\n", layer.error().message.c_str());
    return 1;
  }

  const std::vector<float> rows = {0.0F, 0.1F, 0.9F, 0.8F, 0.1F, 0.0F};
  std::vector<float> out(rows.size() * kHiddenSize);
  std::vector<skim::Step> steps(rows.size());
  skim::LayerState state = layer->start();
  const skim::Result<void> done = layer->read(rows, skim::Policy{}, state, out, steps);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  for (std::size_t t = 0; t < rows.size(); ++t) {
    std::printf("%.1f  %s  h[0] = %+.3f\n", static_cast<double>(rows[t]),
                steps[t].width == kHiddenSize ? "read   " : "skimmed",
                static_cast<double>(out[t * kHiddenSize]));
  }
  return 0;
}

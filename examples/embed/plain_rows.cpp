// A skimming LSTM over rows of floats that have nothing to do with text, with weights of our own:
// here a noisy sensor that is worth a full look only when it moves.
#include <skim/layer.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kInput = 1;
constexpr int kHidden = 8;
constexpr int kSmall = 2;

struct Weights {
  std::vector<float> big_w = std::vector<float>(4 * kHidden * kInput, 0.5F);
  std::vector<float> big_u = std::vector<float>(4 * kHidden * kHidden, 0.05F);
  std::vector<float> big_b = std::vector<float>(4 * kHidden, 0.0F);
  std::vector<float> small_w = std::vector<float>(4 * kSmall * kInput, 0.5F);
  std::vector<float> small_u = std::vector<float>(4 * kSmall * kSmall, 0.05F);
  std::vector<float> small_b = std::vector<float>(4 * kSmall, 0.0F);
  // Read when the value is above one half: the difference of the two logits is 8 x - 4.
  std::vector<float> decision_w = {4.0F, -4.0F};
  std::vector<float> decision_u = std::vector<float>(2 * kHidden, 0.0F);
  std::vector<float> decision_b = {-2.0F, 2.0F};

  std::vector<skim::NamedTensor> named() const {
    return {{"big.w", {4 * kHidden, kInput}, big_w},
            {"big.u", {4 * kHidden, kHidden}, big_u},
            {"big.b", {4 * kHidden}, big_b},
            {"small.1.w", {4 * kSmall, kInput}, small_w},
            {"small.1.u", {4 * kSmall, kSmall}, small_u},
            {"small.1.b", {4 * kSmall}, small_b},
            {"decision.w", {2, kInput}, decision_w},
            {"decision.u", {2, kHidden}, decision_u},
            {"decision.b", {2}, decision_b}};
  }
};

}  // namespace

int main() {
  skim::ReaderSpec spec;
  spec.input = kInput;
  spec.hidden = kHidden;
  spec.small = {kSmall};

  const Weights weights;
  const skim::Result<skim::Layer> layer = skim::Layer::create(spec, weights.named());
  if (!layer) {
    std::fprintf(stderr, "%s\n", layer.error().message.c_str());
    return 1;
  }

  const std::vector<float> rows = {0.0F, 0.1F, 0.9F, 0.8F, 0.1F, 0.0F};
  std::vector<float> out(rows.size() * kHidden);
  std::vector<skim::Step> steps(rows.size());
  skim::LayerState state = layer->start();
  const skim::Result<void> done = layer->read(rows, skim::Policy{}, state, out, steps);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
  }
  for (std::size_t t = 0; t < rows.size(); ++t) {
    std::printf("%.1f  %s  h[0] = %+.3f\n", static_cast<double>(rows[t]),
                steps[t].width == kHidden ? "read   " : "skimmed",
                static_cast<double>(out[t * kHidden]));
  }
  return 0;
}

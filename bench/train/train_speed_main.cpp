// Words a second of training, forward and backward: the fused operation, the same reader in plain
// tensor operations, and LibTorch's own LSTM (no skimming), by the function that its nn::LSTM
// calls: that module's header takes longer to read than all this. Interleaved; best of the repeats.
//   train_speed [hidden [small [batch [words [repeats [threads]]]]]]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "train/ops/product.h"
#include "train/ops/recurrent.h"

namespace {

using namespace skim;
using namespace skim::train;
using Clock = std::chrono::steady_clock;

struct Case {
  ReaderSpec spec;
  Steps steps;
  torch::Tensor rows, gradient;
  Stacked weights;
  Choice choice;
};

Case make_case(int hidden, int small, std::int64_t batch, std::int64_t words) {
  Case made;
  made.spec.input = made.spec.hidden = hidden;
  made.spec.small = {small};
  made.steps = Steps::of(std::vector<std::int64_t>(static_cast<std::size_t>(batch), words));
  const SoftShape shape = shape_of(made.spec);
  const auto n = static_cast<std::int64_t>(shape.gate_stride);
  made.rows = torch::randn({made.steps.rows, hidden}).requires_grad_(true);
  made.weights.w = (torch::randn({n, hidden}) * 0.1).requires_grad_(true);
  made.weights.u = (torch::randn({n, hidden}) * 0.1).requires_grad_(true);
  made.weights.b = torch::zeros({n}).requires_grad_(true);
  made.choice.threads = at::get_num_threads();
  made.choice.noise = torch::rand({made.steps.rows, 2});
  made.gradient = torch::randn({made.steps.rows, hidden});
  return made;
}

std::vector<torch::Tensor> lstm_weights(int hidden) {
  std::vector<torch::Tensor> weights = {torch::randn({4 * hidden, hidden}) * 0.1,
                                        torch::randn({4 * hidden, hidden}) * 0.1,
                                        torch::zeros({4 * hidden}), torch::zeros({4 * hidden})};
  for (torch::Tensor& weight : weights) weight.requires_grad_(true);
  return weights;
}

double seconds(const std::function<void()>& run) {
  const auto begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int count, char** values) {
  const auto argument = [&](int index, int fallback) {
    return index < count ? std::atoi(values[index]) : fallback;
  };
  const int hidden = argument(1, 100), small = argument(2, 10), batch = argument(3, 128),
            words = argument(4, 282), repeats = argument(5, 5);
  if (count > 6) at::set_num_threads(argument(6, 2));
  torch::manual_seed(1);
  const Case made = make_case(hidden, small, batch, words);
  const std::vector<torch::Tensor> theirs = lstm_weights(hidden);
  const torch::Tensor zero = torch::zeros({1, batch, hidden});
  const auto by = [&](auto read) {
    const RecurrentOutput out =
        read(shape_of(made.spec), made.steps, made.rows, made.weights, made.choice);
    (out.hidden * made.gradient).sum().backward();
  };
  const auto theirs_once = [&] {
    const auto in = made.rows.view({words, batch, hidden});
    const auto out =
        std::get<0>(torch::lstm(in, {zero, zero}, theirs, true, 1, 0, true, false, false));
    (out.view({-1, hidden}) * made.gradient).sum().backward();
  };
  const std::vector<std::pair<const char*, std::function<void()>>> runs = {
      {"fused skim reader", [&] { by(read_fused); }},
      {"LibTorch nn::LSTM, plain",
       [&] {
         use_threads_a_product(at::get_num_threads());
         theirs_once();
       }},
      {"LibTorch nn::LSTM, BLAS on one thread",
       [&] {
         use_threads_a_product(1);
         theirs_once();
       }},
      {"skim reader in tensor operations", [&] {
         use_threads_a_product(at::get_num_threads());
         by(read_reference);
       }}};
  std::vector<double> best(runs.size(), 1e9);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < runs.size(); ++i)
      best[i] = std::min(best[i], seconds(runs[i].second));
  }
  std::printf("d = %d, d' = %d, batch %d, %d words, %d threads, best of %d\n", hidden, small, batch,
              words, at::get_num_threads(), repeats);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::printf("%-38s %9.0f words/s  %5.2f of fused\n", runs[i].first,
                static_cast<double>(batch) * words / best[i], best[0] / best[i]);
  }
}

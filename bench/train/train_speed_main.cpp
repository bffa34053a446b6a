// Words per second of training, forward and backward: the fused operation, the same reader in
// tensor operations, and LibTorch's LSTM (no skimming) by the function that its nn::LSTM calls.
// Interleaved; best of the repeats.
//   train_speed [hidden_size [skim_size [batch_size [words [repeats [threads]]]]]]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "train/ops/gemm.h"
#include "train/ops/recurrent.h"

namespace {

using namespace skim;
using namespace skim::train;
using Clock = std::chrono::steady_clock;

struct Case {
  ReaderSpec spec;
  PackedSteps steps;
  torch::Tensor rows, gradient;
  StackedWeights weights;
  MixOptions options;
};

Case make_case(int hidden_size, int skim_size, std::int64_t batch_size, std::int64_t words) {
  Case made;
  made.spec.input_size = made.spec.hidden_size = hidden_size;
  made.spec.skim_sizes = {skim_size};
  made.steps = PackedSteps::from_lengths(
      std::vector<std::int64_t>(static_cast<std::size_t>(batch_size), words));
  const SoftShape shape = make_soft_shape(made.spec);
  const auto n = static_cast<std::int64_t>(shape.gate_stride);
  made.rows = torch::randn({made.steps.rows, hidden_size}).requires_grad_(true);
  made.weights.weight_ih = (torch::randn({n, hidden_size}) * 0.1).requires_grad_(true);
  made.weights.weight_hh = (torch::randn({n, hidden_size}) * 0.1).requires_grad_(true);
  made.weights.bias = torch::zeros({n}).requires_grad_(true);
  made.options.threads = at::get_num_threads();
  made.options.noise = torch::rand({made.steps.rows, 2});
  made.gradient = torch::randn({made.steps.rows, hidden_size});
  return made;
}

std::vector<torch::Tensor> lstm_weights(int hidden_size) {
  std::vector<torch::Tensor> weights = {torch::randn({4 * hidden_size, hidden_size}) * 0.1,
                                        torch::randn({4 * hidden_size, hidden_size}) * 0.1,
                                        torch::zeros({4 * hidden_size}),
                                        torch::zeros({4 * hidden_size})};
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
  const int hidden_size = argument(1, 100), skim_size = argument(2, 10),
            batch_size = argument(3, 128), words = argument(4, 282), repeats = argument(5, 5);
  if (count > 6) at::set_num_threads(argument(6, 2));
  torch::manual_seed(1);
  const Case made = make_case(hidden_size, skim_size, batch_size, words);
  const std::vector<torch::Tensor> libtorch_weights = lstm_weights(hidden_size);
  const torch::Tensor zero = torch::zeros({1, batch_size, hidden_size});
  const auto run_reader = [&](auto read) {
    const RecurrentOutput out =
        read(make_soft_shape(made.spec), made.steps, made.rows, made.weights, made.options);
    (out.hidden * made.gradient).sum().backward();
  };
  const auto run_libtorch = [&] {
    const auto in = made.rows.view({words, batch_size, hidden_size});
    const auto out = std::get<0>(
        torch::lstm(in, {zero, zero}, libtorch_weights, true, 1, 0, true, false, false));
    (out.view({-1, hidden_size}) * made.gradient).sum().backward();
  };
  const std::vector<std::pair<const char*, std::function<void()>>> runs = {
      {"fused skim reader", [&] { run_reader(recurrent_fused); }},
      {"LibTorch nn::LSTM, default BLAS threads",
       [&] {
         set_blas_threads(at::get_num_threads());
         run_libtorch();
       }},
      {"LibTorch nn::LSTM, one BLAS thread",
       [&] {
         set_blas_threads(1);
         run_libtorch();
       }},
      {"skim reader in tensor operations", [&] {
         set_blas_threads(at::get_num_threads());
         run_reader(recurrent_reference);
       }}};
  std::vector<double> best(runs.size(), 1e9);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < runs.size(); ++i)
      best[i] = std::min(best[i], seconds(runs[i].second));
  }
  std::printf("d = %d, d' = %d, batch %d, %d words, %d threads, best of %d\n", hidden_size,
              skim_size, batch_size, words, at::get_num_threads(), repeats);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::printf("%-38s %9.0f words/s  %5.2f of fused\n", runs[i].first,
                static_cast<double>(batch_size) * words / best[i], best[0] / best[i]);
  }
}

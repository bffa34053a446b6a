// LibTorch's nn::LSTM: torch_worker PROBLEM D WORDS
#include <torch/torch.h>

#include <cstdlib>

#include "worker.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const long d = std::atol(argv[2]), words = std::atol(argv[3]);
  peers::Problem problem =
      peers::load_problem(argv[1], static_cast<std::size_t>(d), static_cast<std::size_t>(words));
  torch::set_num_threads(1);
  const torch::InferenceMode guard;

  torch::nn::LSTM lstm(torch::nn::LSTMOptions(d, d));
  auto parameters = lstm->named_parameters();
  parameters["weight_ih_l0"].copy_(torch::from_blob(problem.weight_ih.data(), {4 * d, d}));
  parameters["weight_hh_l0"].copy_(torch::from_blob(problem.weight_hh.data(), {4 * d, d}));
  parameters["bias_ih_l0"].copy_(torch::from_blob(problem.bias.data(), {4 * d}));
  parameters["bias_hh_l0"].zero_();
  const torch::Tensor x = torch::from_blob(problem.x.data(), {words, 1, d});

  torch::Tensor states;
  return peers::serve(TORCH_VERSION, static_cast<std::size_t>(d), [&] {
    states = std::get<0>(lstm->forward(x));
    return states.data_ptr<float>() + (words - 1) * d;
  });
}

#include "train/weights.h"

#include <cmath>

#include "spec/params.h"
#include "train/counter_rng.h"

namespace skim::train {
namespace {

// Fills uniformly from (-limit, limit).
void fill_uniform(torch::Tensor& tensor, double limit, const CounterRng& rng) {
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(limit) * (2 * rng.uniform(static_cast<std::uint64_t>(i)) - 1);
}

// Orthogonal initialization, gate by gate (Gram-Schmidt, in doubles): such a matrix keeps the norm
// of the state.
void fill_orthogonal(torch::Tensor& tensor, std::int64_t rows, const CounterRng& rng) {
  const std::int64_t columns = tensor.size(1);
  for (std::int64_t first = 0; first < tensor.size(0); first += rows) {
    const torch::Tensor random =
        torch::empty({std::max(rows, columns), std::min(rows, columns)}, torch::kDouble);
    double* values = random.data_ptr<double>();
    const CounterRng tensor_rng = rng.at(static_cast<std::uint64_t>(first));
    for (std::int64_t i = 0; i < random.numel(); ++i) {
      const auto pair = static_cast<std::uint64_t>(2 * i);
      values[i] = std::sqrt(-2 * std::log(static_cast<double>(tensor_rng.uniform(pair)))) *
                  std::cos(6.283185307179586 * static_cast<double>(tensor_rng.uniform(pair + 1)));
    }
    for (std::int64_t j = 0; j < random.size(1); ++j) {
      torch::Tensor column = random.select(1, j);
      for (std::int64_t i = 0; i < j; ++i) {
        const torch::Tensor other = random.select(1, i);
        column.sub_(other * column.dot(other));
      }
      column.div_(column.norm());
    }
    tensor.narrow(0, first, rows).copy_(rows >= columns ? random : random.t());
  }
}

// Whether a tensor is a vector whose dot product with a row is a logit.
bool is_attention_vector(const std::string& name) {
  return name == "pooling.weight" || name == "start.weight" || name == "end.weight" ||
         name.starts_with("attention.");
}

// Chrono initialization (Tallec and Ollivier, "Can recurrent neural networks warp time?", 2018): a
// unit with a forget gate of 1 - 1/n remembers about n words. Forget biases start with n uniform
// from 2 to `max_memory`, input biases with their negatives. Below 3 the forget bias is 1.
void fill_lstm_bias(torch::Tensor& bias, std::size_t max_memory, const CounterRng& rng) {
  const std::int64_t units = bias.size(0) / 4;
  torch::Tensor input = bias.narrow(0, 0, units), forget = bias.narrow(0, units, units);
  if (max_memory < 3) {
    forget.fill_(1);
    return;
  }
  for (std::int64_t i = 0; i < units; ++i) {
    const double position = rng.uniform(static_cast<std::uint64_t>(i));
    forget[i] = std::log(1 + position * (static_cast<double>(max_memory) - 2));
  }
  input.copy_(-forget);
}

std::vector<TensorSpec> trained_tensors(const ModelSpec& spec) {
  std::vector<TensorSpec> list = model_tensors(spec);
  if (spec.reader.kind != ReaderKind::lstm_jump) return list;
  for (const PassSpec& pass : model_passes(spec)) {
    if (pass.over_question) continue;
    list.push_back(
        {pass.prefix + "baseline.weight", {1, static_cast<std::size_t>(spec.reader.hidden_size)}});
    list.push_back({pass.prefix + "baseline.bias", {1}});
  }
  return list;
}

}  // namespace

Weights::Weights(const ModelSpec& spec, const FitOptions& options) {
  torch::NoGradGuard guard;
  const CounterRng rng = CounterRng(options.seed).at(0x3E16);
  const auto gate_count = static_cast<std::int64_t>(gates(spec.reader.cell));
  for (const TensorSpec& tensor : trained_tensors(spec)) {
    if (tensor.name == "embedding.weight" || tensor.name == "subword.weight") continue;
    std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    torch::Tensor made = torch::zeros(shape);
    const CounterRng tensor_rng = rng.at(names_.size());
    const bool is_cell = tensor.name.find("big.") != std::string::npos ||
                         tensor.name.find("small.") != std::string::npos;
    if (is_cell && tensor.name.ends_with(".weight_hh")) {
      fill_orthogonal(made, made.size(0) / gate_count, tensor_rng);
    } else if (made.dim() == 2) {
      const std::int64_t outputs = is_cell ? made.size(0) / gate_count : made.size(0);
      fill_uniform(made, std::sqrt(6.0 / static_cast<double>(outputs + made.size(1))), tensor_rng);
    } else if (tensor.name == "attention.product") {
      // Similar words must attend to each other from the start: with random signs BiDAF memorizes
      // texts instead of comparing them with questions. The scale makes up for the magnitude of
      // embeddings (about 0.5) and of hidden states (about 0.2).
      const double scale = spec.net == NetKind::span ? 25 : 200;
      made.fill_(scale / static_cast<double>(made.size(0)));
    } else if (is_attention_vector(tensor.name)) {
      fill_uniform(made, 0.1, tensor_rng);
    } else if (tensor.name.ends_with(".gate.bias")) {
      made.fill_(-2);  // highway layers start close to the identity
    } else if (is_cell && tensor.name.ends_with(".bias") && spec.reader.cell == Cell::lstm) {
      fill_lstm_bias(made, options.chrono_init, tensor_rng);
    } else if (tensor.name.ends_with("update.bias")) {
      made.fill_(1);
    } else if (tensor.name.ends_with("decision.bias")) {
      made[0] = options.read_bias_init;
    } else if (tensor.name.ends_with("decision.scale")) {
      fill_uniform(made, 0.5, tensor_rng);
    }
    names_.push_back(tensor.name);
    tensors_[tensor.name] = made.requires_grad_(true);
  }
  if (spec.net == NetKind::cloze && spec.num_layers == 1) init_tied_output(spec);
}

// Ties the output matrix of a cloze net to the transposed input matrix of its cells, so that words
// that were read score higher as choices. From a random matrix the net learns which words are
// frequent answers and ignores the text.
void Weights::init_tied_output(const ModelSpec& spec) {
  const std::int64_t block = spec.reader.cell == Cell::rnn ? 0 : 2;
  const auto units = static_cast<std::int64_t>(spec.reader.hidden_size);
  std::int64_t column = 0;
  for (const PassSpec& pass : model_passes(spec)) {
    const torch::Tensor weight_ih =
        at(pass.prefix + "big.weight_ih").narrow(0, block * units, units);
    at("choice.weight").narrow(1, column, units).copy_(weight_ih.t());
    column += units;
  }
}

std::vector<torch::Tensor> Weights::tensors() const {
  std::vector<torch::Tensor> list;
  for (const std::string& name : names_) list.push_back(tensors_.at(name));
  return list;
}

}  // namespace skim::train

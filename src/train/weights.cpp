#include "train/weights.h"

#include <cmath>

#include "spec/params.h"
#include "train/noise.h"

namespace skim::train {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void fill_evenly(torch::Tensor& tensor, double size, const Noise& noise) {
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(size) * (2 * noise.share(static_cast<std::uint64_t>(i)) - 1);
}

// Columns of length one at right angles (Gram-Schmidt, in doubles), gate by gate: a state that
// passes through such a matrix neither grows nor shrinks.
void fill_orthogonal(torch::Tensor& tensor, std::int64_t rows, const Noise& noise) {
  const std::int64_t columns = tensor.size(1);
  for (std::int64_t first = 0; first < tensor.size(0); first += rows) {
    const torch::Tensor random =
        torch::empty({std::max(rows, columns), std::min(rows, columns)}, torch::kDouble);
    double* values = random.data_ptr<double>();
    const Noise mine = noise.at(static_cast<std::uint64_t>(first));
    for (std::int64_t i = 0; i < random.numel(); ++i) {
      const auto pair = static_cast<std::uint64_t>(2 * i);
      values[i] = std::sqrt(-2 * std::log(static_cast<double>(mine.share(pair)))) *
                  std::cos(6.283185307179586 * static_cast<double>(mine.share(pair + 1)));
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

// Vectors that a row is multiplied with to get a score.
bool of_attention(const std::string& name) {
  return name == "pool.w" || name == "first.w" || name == "last.w" ||
         name.starts_with("question.") || name.starts_with("meeting.");
}

// A unit that keeps 1 - 1/n of itself with each word forgets in about n words. Units begin with n
// from 2 to `memory`, evenly, and take in as much as they let go; with no memory asked for, they
// keep three quarters (Tallec and Ollivier, "Can recurrent neural networks warp time?", 2018).
void fill_lstm_bias(torch::Tensor& bias, std::size_t memory, const Noise& noise) {
  const std::int64_t units = bias.size(0) / 4;
  torch::Tensor input = bias.narrow(0, 0, units), forget = bias.narrow(0, units, units);
  if (memory < 3) {
    forget.fill_(1);
    return;
  }
  for (std::int64_t i = 0; i < units; ++i) {
    const double share = noise.share(static_cast<std::uint64_t>(i));
    forget[i] = std::log(1 + share * (static_cast<double>(memory) - 2));
  }
  input.copy_(-forget);
}

std::vector<TensorSpec> trained_tensors(const ModelSpec& spec) {
  std::vector<TensorSpec> list = model_tensors(spec);
  if (spec.reader.kind != ReaderKind::jump) return list;
  for (const PassSpec& pass : passes_of(spec)) {
    if (pass.of_question) continue;
    list.push_back({pass.prefix + "baseline.w", {1, static_cast<std::size_t>(spec.reader.hidden)}});
    list.push_back({pass.prefix + "baseline.b", {1}});
  }
  return list;
}

}  // namespace

Weights::Weights(const ModelSpec& spec, const FitOptions& options) {
  torch::NoGradGuard guard;
  const Noise noise = Noise(options.seed).at(0x3E16);
  const auto gate_count = static_cast<std::int64_t>(gates(spec.reader.cell));
  for (const TensorSpec& tensor : trained_tensors(spec)) {
    if (tensor.name == "words") continue;
    std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    torch::Tensor made = torch::zeros(shape);
    const Noise mine = noise.at(names_.size());
    const bool of_cell = tensor.name.find("big.") != std::string::npos ||
                         tensor.name.find("small.") != std::string::npos;
    if (of_cell && ends_with(tensor.name, ".u")) {
      fill_orthogonal(made, made.size(0) / gate_count, mine);
    } else if (made.dim() == 2) {
      const std::int64_t outputs = of_cell ? made.size(0) / gate_count : made.size(0);
      fill_evenly(made, std::sqrt(6.0 / static_cast<double>(outputs + made.size(1))), mine);
    } else if (ends_with(tensor.name, ".both")) {
      // Like must attract like before there is anything to learn from: with random signs BiDAF
      // learns texts by heart instead of comparing them with questions. Words have values of about
      // a half, states of about a fifth.
      const double strength = tensor.name == "question.both" ? 25 : 200;
      made.fill_(strength / static_cast<double>(made.size(0)));
    } else if (of_attention(tensor.name)) {
      fill_evenly(made, 0.1, mine);
    } else if (ends_with(tensor.name, ".gate.b")) {
      made.fill_(-2);  // highways let words through before they learn to change them
    } else if (of_cell && ends_with(tensor.name, ".b") && spec.reader.cell == Cell::lstm) {
      fill_lstm_bias(made, options.memory, mine);
    } else if (ends_with(tensor.name, "update.b")) {
      made.fill_(1);
    } else if (ends_with(tensor.name, "decision.b")) {
      made[0] = options.read_bias;
    } else if (ends_with(tensor.name, "decision.scale")) {
      fill_evenly(made, 0.5, mine);
    }
    names_.push_back(tensor.name);
    tensors_[tensor.name] = made.requires_grad_(true);
  }
  if (spec.net == NetKind::cloze && spec.layers == 1) favour_what_was_read(spec);
}

// What the state took in of a word must speak for that word when it stands to choice: with a random
// matrix between them, gap filling learns which words are often right and never looks at the text.
// The other way round through the matrix that let the word in is a start.
void Weights::favour_what_was_read(const ModelSpec& spec) {
  const std::int64_t block = spec.reader.cell == Cell::rnn ? 0 : 2;
  const auto units = static_cast<std::int64_t>(spec.reader.hidden);
  std::int64_t column = 0;
  for (const PassSpec& pass : passes_of(spec)) {
    const torch::Tensor taken_in = at(pass.prefix + "big.w").narrow(0, block * units, units);
    at("choice.w").narrow(1, column, units).copy_(taken_in.t());
    column += units;
  }
}

std::vector<torch::Tensor> Weights::all() const {
  std::vector<torch::Tensor> list;
  for (const std::string& name : names_) list.push_back(tensors_.at(name));
  return list;
}

}  // namespace skim::train

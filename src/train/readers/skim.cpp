#include "spec/params.h"
#include "train/batch.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Pads a matrix over a prefix of the state with zeros.
Tensor pad_columns(const Tensor& matrix, std::int64_t columns) {
  if (matrix.size(1) == columns) return matrix;
  return torch::constant_pad_nd(matrix, {0, columns - matrix.size(1)});
}

// Gumbel noise of each level, [rows, levels].
Tensor gumbel_noise(const Batch& batch, std::int64_t levels, std::size_t reader,
                    const ReadMode& mode) {
  Tensor noise = torch::empty({batch.rows(), levels});
  float* values = noise.data_ptr<float>();
  const CounterRng reader_rng =
      mode.noise.at(static_cast<std::uint64_t>(RandomUse::choice)).at(reader);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const CounterRng text = reader_rng.at(batch.items[static_cast<std::size_t>(i)]);
    for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(i)]; ++t) {
      for (std::int64_t l = 0; l < levels; ++l)
        values[batch.steps.row(i, t) * levels + l] =
            text.gumbel(static_cast<std::uint64_t>(t * levels + l));
    }
  }
  return noise;
}

// The skim loss: -log of the weighted sum of the small levels' probabilities. The weight of a level
// is the share of the state that it leaves alone, relative to the smallest level. With two levels
// this is the paper's -log p(skim).
void add_skim_penalty(const ReaderSpec& spec, ReadOutput& out) {
  const std::int64_t levels = out.log_p.size(1);
  if (levels == 2) {
    out.penalty = -out.log_p.select(1, 1);
  } else {
    Tensor weight = torch::zeros({levels});
    const double max_saving = 1 - static_cast<double>(spec.skim_sizes.back()) / spec.hidden_size;
    for (int l = 1; l < spec.levels(); ++l)
      weight[l] = (1 - static_cast<double>(spec.width(l)) / spec.hidden_size) / max_saving;
    out.penalty = -torch::log(out.log_p.exp().mv(weight) + 1e-9);
  }
  out.p_skim = 1 - out.log_p.select(1, 0).exp();
}

Mix select_mix(const ReadMode& mode) {
  if (!mode.training) return Mix::threshold;
  switch (mode.estimator) {
    case Estimator::gumbel:
      return Mix::soft;
    case Estimator::straight_through:
      return Mix::straight_through;
    case Estimator::reinforce:
      return Mix::sample;
    case Estimator::none:
      break;
  }
  return Mix::threshold;
}

// Whether the big cell reads every word and nothing is decided. At threshold 0 skip-rnn and vcrnn
// read every word, too, but still compute p_read.
bool is_dense(ReaderKind kind, const ReadMode& mode) {
  if (kind == ReaderKind::dense || mode.read_all) return true;
  if (mode.training || kind == ReaderKind::skim) return false;
  return kind == ReaderKind::lstm_jump ? mode.threshold <= 0 : mode.threshold < 0;
}

}  // namespace

StackedWeights stack_weights(const ReaderSpec& spec, const Weights& weights,
                             const std::string& prefix, bool dense) {
  const auto at = [&](const std::string& name) { return weights.at(prefix + name); };
  std::vector<Tensor> weight_ih = {at("big.weight_ih")}, weight_hh = {at("big.weight_hh")},
                      bias = {at("big.bias")}, bias_hn;
  if (spec.cell == Cell::gru) bias_hn.push_back(at("big.bias_hn"));
  StackedWeights stacked;
  if (!dense) {
    for (int level = 1; level < spec.levels(); ++level) {
      if (spec.width(level) == 0) continue;
      const std::string name = "small." + std::to_string(level);
      weight_ih.push_back(at(name + ".weight_ih"));
      weight_hh.push_back(pad_columns(at(name + ".weight_hh"), spec.hidden_size));
      bias.push_back(at(name + ".bias"));
      if (spec.cell == Cell::gru) bias_hn.push_back(at(name + ".bias_hn"));
    }
    if (spec.decision == Decision::dot) {
      stacked.decision_scale = at("decision.scale");
      weight_ih.push_back(torch::zeros({spec.levels(), spec.input_size}));
      weight_hh.push_back(torch::zeros({spec.levels(), spec.hidden_size}));
    } else {
      weight_ih.push_back(at("decision.weight_ih"));
      weight_hh.push_back(at("decision.weight_hh"));
    }
    bias.push_back(at("decision.bias"));
    if (spec.decision == Decision::linear_cell) stacked.decision_cell = at("decision.weight_ch");
  }
  stacked.weight_ih = torch::cat(weight_ih);
  stacked.weight_hh = torch::cat(weight_hh);
  stacked.bias = torch::cat(bias);
  if (!bias_hn.empty()) stacked.bias_hn = torch::cat(bias_hn);
  return stacked;
}

ReadOutput read_rows(const ReaderInput& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  const bool dense = is_dense(spec.kind, mode);
  if (!dense && spec.kind == ReaderKind::lstm_jump) return read_lstm_jump(from, mode);
  if (!dense && spec.kind == ReaderKind::skip_rnn) return read_skip_rnn(from, mode);
  if (!dense && spec.kind == ReaderKind::vcrnn) return read_vcrnn(from, mode);
  ReaderSpec used = spec;
  if (dense) {
    used.kind = ReaderKind::dense;
    used.skim_sizes.clear();
  }
  MixOptions options;
  options.threads = mode.threads;
  if (!dense) {
    options.mix = select_mix(mode);
    options.temperature = mode.temperature;
    options.threshold = mode.threshold;
    if (options.mix != Mix::threshold)
      options.noise = gumbel_noise(from.batch, spec.levels(), from.index, mode);
  }
  const RecurrentOutput read =
      recurrent_fused(make_soft_shape(used), from.batch.steps, from.rows,
                      stack_weights(spec, from.weights, from.prefix, dense), options);
  ReadOutput out;
  out.hidden = read.hidden;
  out.log_p = read.log_p;
  out.taken = read.taken;
  if (!dense) add_skim_penalty(spec, out);
  return out;
}

}  // namespace skim::train

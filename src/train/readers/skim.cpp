#include "spec/params.h"
#include "train/batch.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Matrices over part of the state see the rest with weight zero.
Tensor widened(const Tensor& matrix, std::int64_t columns) {
  if (matrix.size(1) == columns) return matrix;
  return torch::constant_pad_nd(matrix, {0, columns - matrix.size(1)});
}

Tensor gumbel_noise(const Batch& batch, std::int64_t levels, std::size_t reader,
                    const ReadMode& mode) {
  Tensor noise = torch::empty({batch.rows(), levels});
  float* values = noise.data_ptr<float>();
  const Noise mine = mode.noise.at(static_cast<std::uint64_t>(Use::choice)).at(reader);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const Noise text = mine.at(batch.items[static_cast<std::size_t>(i)]);
    for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(i)]; ++t) {
      for (std::int64_t l = 0; l < levels; ++l)
        values[batch.steps.row(i, t) * levels + l] =
            text.gumbel(static_cast<std::uint64_t>(t * levels + l));
    }
  }
  return noise;
}

// -log of the summed probability of the smaller levels, the smallest with weight 1, those between
// by how much of the state they leave alone. With two levels that is the paper's -log p(skim).
void add_penalty(const ReaderSpec& spec, ReadOutput& out) {
  const std::int64_t levels = out.log_p.size(1);
  if (levels == 2) {
    out.penalty = -out.log_p.select(1, 1);
  } else {
    Tensor weight = torch::zeros({levels});
    const double most = 1 - static_cast<double>(spec.small.back()) / spec.hidden;
    for (int l = 1; l < spec.levels(); ++l)
      weight[l] = (1 - static_cast<double>(spec.width(l)) / spec.hidden) / most;
    out.penalty = -torch::log(out.log_p.exp().mv(weight) + 1e-9);
  }
  out.cheap = 1 - out.log_p.select(1, 0).exp();
}

Mix mix_of(const ReadMode& mode) {
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

}  // namespace

Stacked stack_weights(const ReaderSpec& spec, const Weights& weights, const std::string& prefix,
                      bool plain) {
  const auto at = [&](const std::string& name) { return weights.at(prefix + name); };
  std::vector<Tensor> w = {at("big.w")}, u = {at("big.u")}, b = {at("big.b")}, inner;
  if (spec.cell == Cell::gru) inner.push_back(at("big.bn"));
  Stacked stacked;
  if (!plain) {
    for (int level = 1; level < spec.levels(); ++level) {
      if (spec.width(level) == 0) continue;
      const std::string name = "small." + std::to_string(level);
      w.push_back(at(name + ".w"));
      u.push_back(widened(at(name + ".u"), spec.hidden));
      b.push_back(at(name + ".b"));
      if (spec.cell == Cell::gru) inner.push_back(at(name + ".bn"));
    }
    if (spec.decision == Decision::dot) {
      stacked.decision_scale = at("decision.scale");
      w.push_back(torch::zeros({spec.levels(), spec.input}));
      u.push_back(torch::zeros({spec.levels(), spec.hidden}));
    } else {
      w.push_back(at("decision.w"));
      u.push_back(at("decision.u"));
    }
    b.push_back(at("decision.b"));
    if (spec.decision == Decision::linear_cell) stacked.decision_cell = at("decision.c");
  }
  stacked.w = torch::cat(w);
  stacked.u = torch::cat(u);
  stacked.b = torch::cat(b);
  if (!inner.empty()) stacked.inner_bias = torch::cat(inner);
  return stacked;
}

ReadOutput read_rows(const ReaderRows& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  // Whatever the method, reading everything is the plain reader's work.
  const bool all = mode.read_all || (!mode.training && mode.threshold <= 0);
  const bool plain =
      spec.kind == ReaderKind::full || (all && spec.kind != ReaderKind::skim) || mode.read_all;
  if (!plain && spec.kind == ReaderKind::jump) return read_jumping(from, mode);
  if (!plain && spec.kind == ReaderKind::skip) return read_skipping(from, mode);
  if (!plain && spec.kind == ReaderKind::vary) return read_varying(from, mode);
  ReaderSpec used = spec;
  if (plain) {
    used.kind = ReaderKind::full;
    used.small.clear();
  }
  Choice choice;
  choice.threads = mode.threads;
  if (!plain) {
    choice.mix = mix_of(mode);
    choice.temperature = mode.temperature;
    choice.threshold = mode.threshold;
    if (choice.mix != Mix::threshold)
      choice.noise = gumbel_noise(from.batch, spec.levels(), from.index, mode);
  }
  const RecurrentOutput read =
      read_fused(shape_of(used), from.batch.steps, from.rows,
                 stack_weights(spec, from.weights, from.prefix, plain), choice);
  ReadOutput out;
  out.hidden = read.hidden;
  out.log_p = read.log_p;
  out.taken = read.taken;
  if (!plain) add_penalty(spec, out);
  return out;
}

}  // namespace skim::train

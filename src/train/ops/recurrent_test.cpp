#include "train/ops/recurrent.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>

#include "spec/names.h"
#include "spec/params.h"

namespace skim::train {
namespace {

using torch::Tensor;

// A reader, a batch and a loss that touches every output.
struct Case {
  ReaderSpec spec;
  SoftShape shape;
  PackedSteps steps;
  Tensor rows;
  StackedWeights weights;
  MixOptions options;

  std::vector<Tensor> leaves() const {
    std::vector<Tensor> all = {rows, weights.weight_ih, weights.weight_hh, weights.bias};
    for (const Tensor& tensor : {weights.bias_hn, weights.decision_cell, weights.decision_scale})
      if (tensor.defined()) all.push_back(tensor);
    return all;
  }
};

Tensor leaf(torch::IntArrayRef shape, double size, torch::ScalarType type) {
  return (torch::randn(shape, type) * size).requires_grad_(true);
}

Case make_case(const ReaderSpec& spec, Mix mix, torch::ScalarType type,
               const PackedSteps& steps = PackedSteps::from_lengths({7, 7, 5, 2, 1})) {
  torch::manual_seed(7);
  Case made;
  made.steps = steps;
  made.spec = spec;
  made.shape = make_soft_shape(spec);
  const auto n = static_cast<std::int64_t>(made.shape.gate_stride);
  const auto k = static_cast<std::int64_t>(made.shape.levels);
  made.rows = leaf({made.steps.rows, spec.input_size}, 1, type);
  made.weights.weight_ih = leaf({n, spec.input_size}, 0.4, type);
  made.weights.weight_hh = leaf({n, spec.hidden_size}, 0.4, type);
  made.weights.bias = leaf({n}, 0.3, type);
  if (spec.cell == Cell::gru)
    made.weights.bias_hn = leaf({static_cast<std::int64_t>(made.shape.all_units())}, 0.3, type);
  if (k > 1 && spec.decision == Decision::linear_cell)
    made.weights.decision_cell = leaf({k, spec.hidden_size}, 0.4, type);
  if (k > 1 && spec.decision == Decision::dot) made.weights.decision_scale = leaf({k}, 0.4, type);
  made.options.mix = mix;
  made.options.temperature = 0.7;
  made.options.threshold = 0.45;
  if (k > 1)
    made.options.noise =
        -torch::log(-torch::log(torch::rand({made.steps.rows, k}, type) * 0.9 + 0.05));
  return made;
}

Tensor loss_of(const RecurrentOutput& out) {
  torch::manual_seed(11);
  // The same numbers for floats and doubles.
  const auto random = [](const Tensor& like) {
    return torch::randn(like.sizes(), torch::kDouble).to(like.scalar_type());
  };
  Tensor loss = (out.hidden * random(out.hidden)).sum();
  if (out.log_p.defined()) loss = loss + (out.log_p * random(out.log_p)).sum();
  return loss;
}

std::vector<Tensor> gradients(const Case& made, const RecurrentOutput& out) {
  return torch::autograd::grad({loss_of(out)}, made.leaves(), {}, false, false, true);
}

void expect_close(const Tensor& got, const Tensor& wanted, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(got.defined(), wanted.defined()) << what;
  if (!got.defined()) return;
  ASSERT_EQ(got.sizes(), wanted.sizes()) << what;
  EXPECT_LE((got - wanted).abs().max().item<double>(), tolerance) << what;
}

std::vector<ReaderSpec> all_specs() {
  std::vector<ReaderSpec> specs;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    ReaderSpec dense;
    dense.kind = ReaderKind::dense;
    dense.cell = cell;
    dense.input_size = 5;
    dense.hidden_size = 11;
    dense.skim_sizes = {};
    specs.push_back(dense);
    for (const std::vector<int>& small :
         std::vector<std::vector<int>>{{3}, {0}, {6, 2}, {9, 4, 0}}) {
      for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
        if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
        ReaderSpec spec = dense;
        spec.kind = ReaderKind::skim;
        spec.skim_sizes = small;
        spec.decision = decision;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

std::string describe(const ReaderSpec& spec, Mix mix) {
  std::string text = std::string(to_string(spec.cell)) + " " +
                     std::string(to_string(spec.decision)) + " mix " +
                     std::to_string(static_cast<int>(mix)) + " small";
  for (const int width : spec.skim_sizes) text += " " + std::to_string(width);
  return text;
}

void expect_match(const Case& made) {
  const RecurrentOutput got =
      recurrent_fused(made.shape, made.steps, made.rows, made.weights, made.options);
  const RecurrentOutput wanted =
      recurrent_reference(made.shape, made.steps, made.rows, made.weights, made.options);
  expect_close(got.hidden, wanted.hidden, 1e-12, "hidden");
  expect_close(got.log_p, wanted.log_p, 1e-12, "log p");
  expect_close(got.taken, wanted.taken, 1e-12, "taken");
  const auto got_gradients = gradients(made, got), wanted_gradients = gradients(made, wanted);
  for (std::size_t i = 0; i < got_gradients.size(); ++i) {
    const double size = wanted_gradients[i].defined() && wanted_gradients[i].numel() > 0
                            ? wanted_gradients[i].abs().max().item<double>()
                            : 0;
    expect_close(got_gradients[i], wanted_gradients[i], 1e-11 * (1 + size),
                 "gradient " + std::to_string(i));
  }
}

// More texts and rows than one chunk holds.
TEST(FusedRecurrence, MatchesTheReferenceWhenTheBatchIsCutIntoChunks) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 70; ++i) lengths.push_back(100 - i / 2 - (i > 60 ? 40 : 0));
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
      if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
      ReaderSpec spec;
      spec.cell = cell;
      spec.input_size = 5;
      spec.hidden_size = 6;
      spec.skim_sizes = {2};
      spec.decision = decision;
      SCOPED_TRACE(describe(spec, Mix::soft));
      const Case made =
          make_case(spec, Mix::soft, torch::kDouble, PackedSteps::from_lengths(lengths));
      ASSERT_GT(made.steps.rows, 4096);
      expect_match(made);
    }
  }
}

// Runs a check with the pointwise kernels of every SIMD target.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(FusedRecurrence, MatchesTheReferenceInValuesAndGradientsOnEveryTarget) {
  on_every_target([] {
    for (const ReaderSpec& spec : all_specs()) {
      for (const Mix mix : {Mix::soft, Mix::straight_through, Mix::sample, Mix::threshold}) {
        SCOPED_TRACE(describe(spec, mix));
        expect_match(make_case(spec, mix, torch::kDouble));
      }
    }
  });
}

// Central differences of the loss along random directions; only where it is differentiable.
TEST(FusedRecurrence, GradientsMatchFiniteDifferences) {
  for (const ReaderSpec& spec : all_specs()) {
    SCOPED_TRACE(describe(spec, Mix::soft));
    const Case made = make_case(spec, Mix::soft, torch::kDouble);
    const auto wanted = gradients(
        made, recurrent_fused(made.shape, made.steps, made.rows, made.weights, made.options));
    const auto leaves = made.leaves();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      torch::manual_seed(static_cast<std::uint64_t>(13 + i));
      const Tensor direction = torch::randn_like(leaves[i]);
      const auto loss_at = [&](double distance) {
        torch::NoGradGuard guard;
        const Tensor keep = leaves[i].clone();
        leaves[i].add_(direction, distance);
        const double loss =
            loss_of(recurrent_fused(made.shape, made.steps, made.rows, made.weights, made.options))
                .item<double>();
        leaves[i].copy_(keep);
        return loss;
      };
      const double slope = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5;
      const double expected = (wanted[i] * direction).sum().item<double>();
      EXPECT_NEAR(slope, expected, 1e-6 * (1 + std::abs(expected))) << "leaf " << i;
    }
  }
}

void expect_floats_close(const ReaderSpec& spec) {
  SCOPED_TRACE(describe(spec, Mix::soft));
  const Case exact = make_case(spec, Mix::soft, torch::kDouble);
  Case made = exact;
  const auto to_float = [](Tensor& tensor) {
    if (tensor.defined()) tensor = tensor.detach().to(torch::kFloat).requires_grad_(true);
  };
  for (Tensor* tensor :
       {&made.rows, &made.weights.weight_ih, &made.weights.weight_hh, &made.weights.bias,
        &made.weights.bias_hn, &made.weights.decision_cell, &made.weights.decision_scale})
    to_float(*tensor);
  if (made.options.noise.defined()) made.options.noise = made.options.noise.to(torch::kFloat);
  const RecurrentOutput got =
      recurrent_fused(made.shape, made.steps, made.rows, made.weights, made.options);
  const RecurrentOutput wanted =
      recurrent_fused(exact.shape, exact.steps, exact.rows, exact.weights, exact.options);
  expect_close(got.hidden.to(torch::kDouble), wanted.hidden, 2e-6, "hidden");
  const auto got_gradients = gradients(made, got), wanted_gradients = gradients(exact, wanted);
  for (std::size_t i = 0; i < got_gradients.size(); ++i) {
    const double size = wanted_gradients[i].abs().max().item<double>();
    expect_close(got_gradients[i].to(torch::kDouble), wanted_gradients[i], 2e-5 * (1 + size),
                 "gradient " + std::to_string(i));
  }
}

TEST(FusedRecurrence, FloatsStayCloseToDoublesOnEveryTarget) {
  on_every_target([] {
    for (const ReaderSpec& spec : all_specs()) expect_floats_close(spec);
  });
}

TEST(PackedSteps, CountsTheRowsOfEachStep) {
  const PackedSteps steps = PackedSteps::from_lengths({3, 1});
  EXPECT_EQ(steps.sizes, (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(steps.offsets, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(steps.rows, 4);
}

}  // namespace
}  // namespace skim::train

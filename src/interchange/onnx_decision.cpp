#include "interchange/onnx_decision.h"

#include <algorithm>

namespace skim::onnx {
namespace {

// Inverse sigmoid of the threshold: -infinity at 0, which reads every word, infinity at 1.
Name threshold_logit(Graph& graph, const Name& threshold) {
  const Name rest = graph.op("Sub", {graph.initializers().floats("one", {}, 1.0F), threshold});
  return graph.op("Log", {graph.op("Div", {threshold, rest})});
}

Message cast_to_int64() { return attribute("to", static_cast<std::int64_t>(ElementType::int64)); }

}  // namespace

DecisionGraph::DecisionGraph(Graph& around, const PassTensors& tensors, const Name& rows,
                             const Name& threshold)
    : reader_(tensors.reader()), rows_(rows) {
  Initializers& initializers = around.initializers();
  bound_ = reader_.levels() == 2 ? threshold_logit(around, threshold) : threshold;
  if (reader_.levels() > 2) {
    last_logit_ = initializers.floats("last_logit", {1, 1}, 0.0F);
    level_axis_ = initializers.int_scalar("level_axis", 1);
  }
  bias_ = tensors.differences("decision.bias");
  if (reader_.decision == Decision::dot) {
    scale_ = tensors.differences("decision.scale");
    return;
  }
  from_rows_ = around.gemm(rows, tensors.differences("decision.weight_ih"), bias_);
  state_ = tensors.differences("decision.weight_hh");
  if (reader_.decision == Decision::linear_cell) cell_ = tensors.differences("decision.weight_ch");
}

// Logits of all levels but the last, relative to the last: [1, levels - 1].
Name DecisionGraph::logits(Graph& body, const Name& at, const CellState& state) const {
  const std::int64_t common = std::min(reader_.input_size, reader_.hidden_size);
  if (reader_.decision == Decision::dot) {
    const Name x = body.op("Gather", {rows_, at});
    const Name product =
        body.op("Mul", {body.columns(x, 0, common), body.columns(state.hidden, 0, common)});
    return body.op("Add", {body.op("Mul", {body.sum(product, 1), scale_}), bias_});
  }
  const Name sum =
      body.op("Add", {body.op("Gather", {from_rows_, at}), body.gemm(state.hidden, state_, {})});
  if (cell_.empty()) return sum;
  return body.op("Add", {sum, body.gemm(state.cell, cell_, {})});
}

LevelChoice DecisionGraph::choose_binary(Graph& body, const Name& logit) const {
  const Name number = body.op("Squeeze", {logit});
  const Name read = body.op("Greater", {number, bound_});
  return {body.op("Cast", {body.op("Not", {read})}, {cast_to_int64()}),
          body.op("Sigmoid", {number})};
}

// The first level at which the cumulative probability exceeds the threshold, else the last.
LevelChoice DecisionGraph::choose_level(Graph& body, const Name& logits) const {
  const Name all = body.op("Concat", {logits, last_logit_}, {attribute("axis", std::int64_t{1})});
  const Name highest =
      body.op("ReduceMax", {all}, {attribute("axes", std::vector<std::int64_t>{1})});
  const Name powers = body.op("Exp", {body.op("Sub", {all, highest})});
  const Name total = body.sum(powers, 1);
  const Name upper = body.columns(powers, 0, reader_.levels() - 1);
  const Name summed = body.op("CumSum", {upper, level_axis_});
  const Name enough = body.op("Greater", {summed, body.op("Mul", {total, bound_})});
  const Name below = body.op("Cast", {body.op("Not", {enough})}, {cast_to_int64()});
  const Name share = body.op("Div", {body.columns(powers, 0, 1), total});
  return {body.op("Squeeze", {body.sum(below, 1)}), body.op("Squeeze", {share})};
}

LevelChoice DecisionGraph::choose(Graph& body, const Name& at, const CellState& state) const {
  const Name found = logits(body, at, state);
  return reader_.levels() == 2 ? choose_binary(body, found) : choose_level(body, found);
}

}  // namespace skim::onnx

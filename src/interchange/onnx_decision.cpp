#include "interchange/onnx_decision.h"

#include <algorithm>

namespace skim::onnx {
namespace {

// What a logit must exceed for its sigmoid to exceed the threshold: -infinity at 0, which reads
// every word, infinity at 1.
Name logit_limit(Graph& graph, const Name& threshold) {
  const Name rest = graph.op("Sub", {graph.constants().reals("one", {}, 1.0F), threshold});
  return graph.op("Log", {graph.op("Div", {threshold, rest})});
}

Message to_whole() { return attribute("to", static_cast<std::int64_t>(Element::whole)); }

}  // namespace

DecisionGraph::DecisionGraph(Graph& around, const PassTensors& tensors, const Name& rows,
                             const Name& threshold)
    : reader_(tensors.reader()), rows_(rows) {
  Constants& constants = around.constants();
  limit_ = reader_.levels() == 2 ? logit_limit(around, threshold) : threshold;
  if (reader_.levels() > 2) {
    last_logit_ = constants.reals("last_logit", {1, 1}, 0.0F);
    level_axis_ = constants.whole("level_axis", 1);
  }
  bias_ = tensors.differences("decision.b");
  if (reader_.decision == Decision::dot) {
    scale_ = tensors.differences("decision.scale");
    return;
  }
  from_rows_ = around.dense(rows, tensors.differences("decision.w"), bias_);
  state_ = tensors.differences("decision.u");
  if (reader_.decision == Decision::linear_cell) cell_ = tensors.differences("decision.c");
}

// Of all levels but the last, as differences from its logit: [1, levels - 1].
Name DecisionGraph::logits(Graph& body, const Name& at, const CellState& state) const {
  const std::int64_t common = std::min(reader_.input, reader_.hidden);
  if (reader_.decision == Decision::dot) {
    const Name x = body.op("Gather", {rows_, at});
    const Name product =
        body.op("Mul", {body.columns(x, 0, common), body.columns(state.hidden, 0, common)});
    return body.op("Add", {body.op("Mul", {body.sum(product, 1), scale_}), bias_});
  }
  const Name sum =
      body.op("Add", {body.op("Gather", {from_rows_, at}), body.dense(state.hidden, state_, {})});
  if (cell_.empty()) return sum;
  return body.op("Add", {sum, body.dense(state.cell, cell_, {})});
}

Choice DecisionGraph::of_two(Graph& body, const Name& logit) const {
  const Name number = body.op("Squeeze", {logit});
  const Name read = body.op("Greater", {number, limit_});
  return {body.op("Cast", {body.op("Not", {read})}, {to_whole()}), body.op("Sigmoid", {number})};
}

// The first level at which the summed probability exceeds the threshold; the last when none does.
Choice DecisionGraph::of_several(Graph& body, const Name& logits) const {
  const Name all = body.op("Concat", {logits, last_logit_}, {attribute("axis", std::int64_t{1})});
  const Name highest =
      body.op("ReduceMax", {all}, {attribute("axes", std::vector<std::int64_t>{1})});
  const Name powers = body.op("Exp", {body.op("Sub", {all, highest})});
  const Name total = body.sum(powers, 1);
  const Name upper = body.columns(powers, 0, reader_.levels() - 1);
  const Name summed = body.op("CumSum", {upper, level_axis_});
  const Name enough = body.op("Greater", {summed, body.op("Mul", {total, limit_})});
  const Name below = body.op("Cast", {body.op("Not", {enough})}, {to_whole()});
  const Name share = body.op("Div", {body.columns(powers, 0, 1), total});
  return {body.op("Squeeze", {body.sum(below, 1)}), body.op("Squeeze", {share})};
}

Choice DecisionGraph::choose(Graph& body, const Name& at, const CellState& state) const {
  const Name found = logits(body, at, state);
  return reader_.levels() == 2 ? of_two(body, found) : of_several(body, found);
}

}  // namespace skim::onnx

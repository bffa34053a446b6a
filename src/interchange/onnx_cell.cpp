#include "interchange/onnx_cell.h"

namespace skim::onnx {
namespace {

std::vector<Name> split_gates(Graph& graph, const Name& sums, std::size_t count) {
  return graph.ops("Split", {sums}, count, {attribute("axis", std::int64_t{1})});
}

CellState apply_lstm(Graph& graph, const Name& sums, const CellState& old) {
  const std::vector<Name> gates = split_gates(graph, sums, 4);
  const Name input = graph.op("Sigmoid", {gates[0]});
  const Name forget = graph.op("Sigmoid", {gates[1]});
  const Name candidate = graph.op("Tanh", {gates[2]});
  const Name output = graph.op("Sigmoid", {gates[3]});
  const Name retained = graph.op("Mul", {forget, old.cell});
  const Name cell = graph.op("Add", {retained, graph.op("Mul", {input, candidate})});
  return {graph.op("Mul", {output, graph.op("Tanh", {cell})}), cell};
}

CellState apply_gru(Graph& graph, const Name& from_input, const Name& from_state,
                    const CellState& old) {
  const std::vector<Name> x = split_gates(graph, from_input, 3);
  const std::vector<Name> h = split_gates(graph, from_state, 3);
  const Name reset = graph.op("Sigmoid", {graph.op("Add", {x[0], h[0]})});
  const Name update = graph.op("Sigmoid", {graph.op("Add", {x[1], h[1]})});
  const Name candidate =
      graph.op("Tanh", {graph.op("Add", {x[2], graph.op("Mul", {reset, h[2]})})});
  const Name change = graph.op("Sub", {graph.initializers().floats("one", {}, 1.0F), update});
  return {graph.op("Add",
                   {graph.op("Mul", {change, candidate}), graph.op("Mul", {update, old.hidden})}),
          {}};
}

}  // namespace

CellState apply_gates(Graph& graph, Cell cell, const Name& from_input, const Name& from_state,
                      const CellState& old) {
  if (cell == Cell::gru) return apply_gru(graph, from_input, from_state, old);
  const Name sums = graph.op("Add", {from_input, from_state});
  if (cell == Cell::lstm) return apply_lstm(graph, sums, old);
  return {graph.op("Tanh", {sums}), {}};
}

}  // namespace skim::onnx

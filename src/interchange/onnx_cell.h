// One step of a recurrent cell as a graph.
#pragma once

#include "interchange/onnx_graph.h"
#include "skim/spec.h"

namespace skim::onnx {

// Rows: [1, units]. `cell` is there for an LSTM only.
struct CellState {
  Name hidden, cell;
};

// The state after a step, from the gates' sums over input and state ([1, gates * units], with their
// biases). `old` has as many units as the cell.
CellState apply_gates(Graph& graph, Cell cell, const Name& from_input, const Name& from_state,
                      const CellState& old);

}  // namespace skim::onnx

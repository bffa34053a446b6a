// ONNX subgraph of one recurrent step.
#pragma once

#include "interchange/onnx_graph.h"
#include "skim/spec.h"

namespace skim::onnx {

// Values of shape [1, units]; `cell` for LSTM only.
struct CellState {
  Name hidden, cell;
};

// Returns the state after a step. `from_input` and `from_state` are the pre-activations including
// biases, [1, gates * units]. `old` has as many units as the cell.
CellState apply_gates(Graph& graph, Cell cell, const Name& from_input, const Name& from_state,
                      const CellState& old);

}  // namespace skim::onnx

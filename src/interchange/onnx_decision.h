// ONNX subgraph of the read/skim decision.
#pragma once

#include "interchange/onnx_cell.h"
#include "interchange/onnx_tensors.h"

namespace skim::onnx {

struct LevelChoice {
  Name level;   // scalar; 0 reads
  Name p_read;  // scalar
};

class DecisionGraph {
 public:
  // Adds to the outer graph what can be computed for all rows at once.
  DecisionGraph(Graph& around, const PassTensors& tensors, const Name& rows, const Name& threshold);

  // Adds the decision for the row with index `at` ([1]) to the loop body.
  LevelChoice choose(Graph& body, const Name& at, const CellState& state) const;

 private:
  Name logits(Graph& body, const Name& at, const CellState& state) const;
  LevelChoice choose_binary(Graph& body, const Name& logit) const;
  LevelChoice choose_level(Graph& body, const Name& logits) const;

  ReaderSpec reader_;
  Name rows_, bound_;
  Name from_rows_;                // linear: [words, levels - 1]
  Name state_, cell_;             // linear: weights for h and c
  Name scale_, bias_;             // dot
  Name last_logit_, level_axis_;  // more than two levels: constants 0 and 1
};

}  // namespace skim::onnx

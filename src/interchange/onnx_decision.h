// The choice between reading and skimming as a graph: which level a word gets.
#pragma once

#include "interchange/onnx_cell.h"
#include "interchange/onnx_tensors.h"

namespace skim::onnx {

struct Choice {
  Name level;   // 0 reads; a number
  Name p_read;  // a number
};

class DecisionGraph {
 public:
  // Adds to the graph around the loop what can be computed for all rows at once, and what the
  // threshold asks of a decision.
  DecisionGraph(Graph& around, const PassTensors& tensors, const Name& rows, const Name& threshold);

  // For the row of this index ([1]), in the loop's body.
  Choice choose(Graph& body, const Name& at, const CellState& state) const;

 private:
  Name logits(Graph& body, const Name& at, const CellState& state) const;
  Choice of_two(Graph& body, const Name& logit) const;
  Choice of_several(Graph& body, const Name& logits) const;

  ReaderSpec reader_;
  Name rows_, limit_;
  Name from_rows_;                // linear: [words, levels - 1]
  Name state_, cell_;             // linear: matrices over h and c
  Name scale_, bias_;             // dot
  Name last_logit_, level_axis_;  // several levels: 0 for the last one; 1
};

}  // namespace skim::onnx

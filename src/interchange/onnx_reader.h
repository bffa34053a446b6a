// ONNX subgraph of a reader: a loop over the words with a branch, so that the big cell does not run
// for skimmed words.
#pragma once

#include "interchange/onnx_graph.h"
#include "interchange/onnx_tensors.h"

namespace skim::onnx {

// Values that all passes over a text share; scalars except `reversed_indices`.
struct TextValues {
  Name num_words;
  Name last_index;        // of the last word; bidirectional models only
  Name reversed_indices;  // all indices, the last first; bidirectional models only
  Name threshold;         // 0 to 1
};

// Results of a pass, in text order also for backward readers.
struct PassValues {
  Name final_state;  // [1, hidden]
  Name states;       // state after each word, [words, hidden]; PassOutput::all_states only
  Name widths;       // [words]
  Name p_read;       // [words]
};

enum class PassOutput { final_state, all_states };

// Adds one pass; `rows` is [words, input].
PassValues add_pass(Graph& graph, const PassTensors& tensors, const Name& rows,
                    const TextValues& text, PassOutput output);

}  // namespace skim::onnx

// A reader as a graph: a loop over the words, in which a branch keeps the big cell from running for
// words that are skimmed.
#pragma once

#include "interchange/onnx_graph.h"
#include "interchange/onnx_tensors.h"

namespace skim::onnx {

// What all passes over a text share; all but `backwards` are numbers.
struct TextValues {
  Name count;      // of words
  Name last;       // index of the last word; for backward readers, as
  Name backwards;  // all indices, the last first
  Name threshold;  // 0 to 1
};

// In the order of the text, also what a backward reader makes.
struct PassValues {
  Name end;     // the state after the last word it reads, [1, hidden]
  Name rows;    // the state after each word, [words, hidden]; where wanted
  Name widths;  // [words]
  Name p_read;  // [words]
};

enum class Want { end, rows };

// `rows` is [words, input].
PassValues add_pass(Graph& graph, const PassTensors& tensors, const Name& rows,
                    const TextValues& text, Want want);

}  // namespace skim::onnx

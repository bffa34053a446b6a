// A stack of recurrent layers, unidirectional or bidirectional: the encoder of every net.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rows.h"
#include "kernels/pool.h"
#include "nets/net.h"
#include "readers/reader.h"
#include "skim/policy.h"

namespace skim {

// What the last layer of a stack outputs.
enum class StackOutput {
  final_state,  // the final state only
  updates,      // also the log of state updates, for pooling
  rows,         // also the hidden state after each word
};

// A copy of `values` with kPoolPadding floats after its end (kernels/pool.h).
Buffer<float> with_padding(const std::vector<float>& values);

class Stack {
 public:
  // A first layer that reads token ids has folded embedding tables. The passes of the stack are
  // those from `first_pass` on in NetMemory::passes.
  Stack(const NetParts& parts, const StackSpec& spec, StackOutput output,
        std::size_t first_pass = 0);
  std::size_t passes() const { return readers_.size(); }
  std::size_t hidden_size() const { return static_cast<std::size_t>(spec_.reader.hidden_size); }
  std::size_t directions() const { return static_cast<std::size_t>(spec_.directions()); }
  std::size_t output_size() const { return static_cast<std::size_t>(spec_.output_size()); }

  // Resets the states. A stack that runs over several sequences has separate passes for each; `run`
  // is the index of the sequence.
  void start(NetMemory& memory, std::size_t run = 0) const;
  // Forward pass over further input. With StackOutput::rows returns the hidden states of the last
  // layer, which stay valid until the next call.
  Rows forward(const Input& input, const Policy& policy, NetMemory& memory,
               std::size_t run = 0) const;

  // The reader of many texts at once, or null unless the stack is one reader of token ids that
  // supports it. next_chunk prepares its input: the next words of `ids` after those read so far,
  // with room for their steps and updates. Returns false after the last word.
  bool can_gather() const;
  std::unique_ptr<GatheredReader> gather() const;
  bool next_chunk(std::span<const std::uint32_t> ids, const Policy& policy, NetMemory& memory,
                  TextChunk& chunk) const;

  // The pass of the last layer in one direction, and its update log for pooling.
  const NetMemory::PassMemory& last_pass(const NetMemory& memory, std::size_t direction) const {
    return memory.passes[first_pass_ + readers_.size() - directions() + direction];
  }
  UpdateLog update_log(const NetMemory& memory, std::size_t direction) const;

 private:
  // Pooling over updates needs a small number of widths; VCRNN readers, where any width occurs, log
  // full rows.
  bool logs_full_rows() const { return spec_.reader.kind == ReaderKind::vcrnn; }
  std::size_t output_stride() const;
  MutableRows layer_rows(std::size_t layer, std::size_t count, NetMemory& memory) const;
  Rows forward_layer(std::size_t layer, Input input, const Policy& policy, NetMemory& memory,
                     std::size_t run) const;
  Output log_output(std::size_t count, NetMemory::PassMemory& pass) const;
  void count_logged(std::span<const Step> steps, NetMemory::PassMemory& pass) const;
  std::size_t pass_index(std::size_t index, std::size_t run) const {
    return first_pass_ + run * readers_.size() + index;
  }

  StackSpec spec_;
  StackOutput output_;
  std::size_t first_pass_;
  std::vector<std::unique_ptr<Reader>> readers_;  // in the order of NetMemory::passes
  std::vector<int> widths_;                       // of the levels, descending
};

}  // namespace skim

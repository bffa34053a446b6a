// Readers on top of each other, each layer in one direction or in both: what every net is built
// around.
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

// What is kept of the last layer besides its final states.
enum class Keep {
  states,  // nothing
  log,     // its updates, for a pooling
  rows,    // the state after each word
};

// A tensor's values with room behind them for what pooling reads beyond the end.
Buffer<float> with_slack(const std::vector<float>& values);

class Stack {
 public:
  // Where the first layer reads words it folds them into tables.
  Stack(const NetParts& parts, Keep keep);

  std::size_t passes() const { return readers_.size(); }
  std::size_t hidden() const { return static_cast<std::size_t>(spec_.reader.hidden); }
  std::size_t directions() const { return static_cast<std::size_t>(spec_.directions()); }
  std::size_t row_width() const { return static_cast<std::size_t>(spec_.row_width()); }

  // Forgets all words.
  void start(NetMemory& memory) const;
  // Reads on. With Keep::rows, the rows of the last layer, which stay until the next call.
  Rows read(Input input, const Policy& policy, NetMemory& memory) const;

  // The pass of the last layer in one direction, and its log as a pooling takes it.
  const NetMemory::PassMemory& last_pass(const NetMemory& memory, std::size_t direction) const {
    return memory.passes[readers_.size() - directions() + direction];
  }
  PoolLog log_of(const NetMemory& memory, std::size_t direction) const;

 private:
  // A pooling that saves work needs updates of a few widths; where every word has its own, it gets
  // the rows.
  bool whole_rows() const { return spec_.reader.kind == ReaderKind::vary; }
  std::size_t row_stride() const;
  MutableRows rows_of(std::size_t layer, std::size_t count, NetMemory& memory) const;
  Rows read_through(Input input, const Policy& policy, NetMemory& memory) const;
  void read_pass(std::size_t index, const Input& input, const MutableRows& rows,
                 const Policy& policy, NetMemory& memory) const;

  ModelSpec spec_;
  Keep keep_;
  std::vector<std::unique_ptr<Reader>> readers_;  // in the order of NetMemory::passes
  std::vector<int> widths_;                       // of the levels, falling
};

}  // namespace skim

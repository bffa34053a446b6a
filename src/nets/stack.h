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
  // Where the first layer reads words it folds them into tables. The stack's passes are those from
  // `first_pass` on in the memory of its net.
  Stack(const NetParts& parts, const StackSpec& spec, Keep keep, std::size_t first_pass = 0);
  std::size_t passes() const { return readers_.size(); }
  std::size_t hidden() const { return static_cast<std::size_t>(spec_.reader.hidden); }
  std::size_t directions() const { return static_cast<std::size_t>(spec_.directions()); }
  std::size_t row_width() const { return static_cast<std::size_t>(spec_.row_width()); }

  // Forgets all words. A stack that goes over several things does so in passes of its own each
  // time: `again` counts them.
  void start(NetMemory& memory, std::size_t again = 0) const;
  // Reads on. With Keep::rows, the rows of the last layer, which stay until the next call.
  Rows read(Input input, const Policy& policy, NetMemory& memory, std::size_t again = 0) const;

  // The pass of the last layer in one direction, and its log as a pooling takes it.
  const NetMemory::PassMemory& last_pass(const NetMemory& memory, std::size_t direction) const {
    return memory.passes[first_pass_ + readers_.size() - directions() + direction];
  }
  PoolLog log_of(const NetMemory& memory, std::size_t direction) const;

 private:
  // A pooling that saves work needs updates of a few widths; where every word has its own, it gets
  // the rows.
  bool whole_rows() const { return spec_.reader.kind == ReaderKind::vary; }
  std::size_t row_stride() const;
  MutableRows rows_of(std::size_t layer, std::size_t count, NetMemory& memory) const;
  Rows read_through(Input input, const Policy& policy, NetMemory& memory, std::size_t again) const;
  void read_pass(std::size_t index, const Input& input, const MutableRows& rows,
                 const Policy& policy, NetMemory& memory, NetMemory::PassMemory& pass) const;
  std::size_t place(std::size_t index, std::size_t again) const {
    return first_pass_ + again * readers_.size() + index;
  }

  StackSpec spec_;
  Keep keep_;
  std::size_t first_pass_;
  std::vector<std::unique_ptr<Reader>> readers_;  // in the order of NetMemory::passes
  std::vector<int> widths_;                       // of the levels, falling
};

}  // namespace skim

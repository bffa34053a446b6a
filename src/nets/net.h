// A network: readers and what stands around them, for one kind of task.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "readers/reader.h"
#include "skim/policy.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// One caller's memory for a net.
struct NetMemory {
  struct PassMemory {
    State state;
    Buffer<float> log;
    std::size_t log_used = 0;
    std::vector<Step> steps;
  };
  std::vector<PassMemory> passes;   // layer by layer, forward before backward
  std::vector<Buffer<float>> rows;  // output rows of each layer but the last
  Buffer<float> pooled, work;
  Scratch scratch;
};

class Net {
 public:
  virtual ~Net() = default;
  virtual const ModelSpec& spec() const = 0;

  // Forgets all words.
  virtual void start(NetMemory& memory) const = 0;
  // Reads further words. Bidirectional nets take all words in one call after start.
  virtual void read(std::span<const std::uint32_t> words, const Policy& policy,
                    NetMemory& memory) const = 0;
  // Softmax scores of all labels from what was read so far. scores.size() == labels.
  virtual void scores(NetMemory& memory, std::span<float> scores) const = 0;
};

}  // namespace skim

// Base class of readers that skip words entirely (LSTM-Jump, Skip RNN): a dense reader reads
// segments of words; the words in between cost nothing but their entry in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "readers/reader.h"

namespace skim {

class SkippingReader : public Reader {
 public:
  SkippingReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                 const EmbeddingTable* embeddings, std::size_t table_bytes);

  const ReaderSpec& spec() const final { return spec_; }
  void start(State& state) const final;
  void read(const Input& input, const Policy& policy, State& state, const Output& output,
            std::span<Step> steps, Scratch& scratch) const final;

 protected:
  // The unread rest of the text, or of the question about it, in reading order.
  struct Remaining {
    std::uint64_t count = 0;
    std::span<const std::uint32_t> ids;  // empty for rows and for backward reading
    bool over_question = false;
  };
  // Consecutive words that are all read or all skipped.
  struct Segment {
    bool read = true;
    std::uint64_t count = 1;  // number of words, at most Remaining::count
    float p_read = 1;
    std::uint64_t units = 1;  // completed words or sentences, whichever the reader counts
  };
  virtual void init_skip_state(SkipState& skip_state) const = 0;
  // Decides about the next words.
  virtual Segment next_segment(const Remaining& remaining, const Policy& policy,
                               const State& state) const noexcept = 0;
  // Updates state.skip_state after `segment` was read or skipped.
  virtual void after_step(const Segment& segment, const Policy& policy, State& state,
                          Scratch& scratch) const = 0;

 private:
  static Remaining remaining_input(const Input& input, std::size_t done);

  ReaderSpec spec_;
  std::unique_ptr<Reader> dense_;
};

// A copy of a tensor with kPoolPadding floats after its end (kernels/pool.h).
Buffer<float> with_padding(const Tensors& tensors, std::string_view name);

}  // namespace skim

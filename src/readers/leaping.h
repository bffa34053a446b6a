// What the readers share that leave words out altogether: words are read by a plain reader, runs of
// them at one go, and those between cost nothing but their entry in the trace.
#pragma once

#include <memory>
#include <string_view>

#include "readers/reader.h"

namespace skim {

class LeapingReader : public Reader {
 public:
  LeapingReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                const WordSource* words, std::size_t table_bytes);

  const ReaderSpec& spec() const final { return spec_; }
  void start(State& state) const final;
  void read(const Input& input, const Policy& policy, State& state, const Output& output,
            std::span<Step> steps, Scratch& scratch) const noexcept final;

 protected:
  // What happens to the next words.
  struct Leap {
    bool read = true;
    std::uint64_t count = 1;
    float p_read = 1;
  };
  virtual void begin(Pace& pace) const = 0;
  virtual Leap next(const State& state, const Policy& policy) const noexcept = 0;
  // After `count` words of `leap`, which may be fewer than it said: the text, or this part of it,
  // may have ended.
  virtual void passed(const Leap& leap, std::uint64_t count, const Policy& policy, State& state,
                      Scratch& scratch) const noexcept = 0;

 private:
  ReaderSpec spec_;
  std::unique_ptr<Reader> plain_;
};

// A copy of a tensor that vectors may be loaded from (kernels/pool.h).
Buffer<float> with_slack(const Tensors& tensors, std::string_view name);

}  // namespace skim

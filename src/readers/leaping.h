// What the readers share that leave words out altogether: words are read by a plain reader, runs of
// them at one go, and those between cost nothing but their entry in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  // What is still to come, in the order of reading: of the text, or of the question about it.
  struct Ahead {
    std::uint64_t count = 0;
    std::span<const std::uint32_t> words;  // none where rows are read, or words backward
    bool of_question = false;
  };
  // What happens to the next words.
  struct Leap {
    bool read = true;
    std::uint64_t count = 1;  // of words, no more than are ahead
    float p_read = 1;
    std::uint64_t units = 1;  // how many of what the reader counts they bring to an end
  };
  virtual void begin(Pace& pace) const = 0;
  virtual Leap next(const Ahead& ahead, const Policy& policy,
                    const State& state) const noexcept = 0;
  virtual void passed(const Leap& leap, const Policy& policy, State& state,
                      Scratch& scratch) const noexcept = 0;

 private:
  static Ahead ahead(const Input& input, std::size_t done);

  ReaderSpec spec_;
  std::unique_ptr<Reader> plain_;
};

// A copy of a tensor that vectors may be loaded from (kernels/pool.h).
Buffer<float> with_slack(const Tensors& tensors, std::string_view name);

}  // namespace skim

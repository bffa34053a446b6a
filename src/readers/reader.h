// A reader: vectors in, equally many vectors out, as the paper promises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/rows.h"
#include "skim/layer.h"
#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// What a reader reads: rows, or words of the vocabulary it was made for. One of the two is empty.
struct Input {
  Rows rows;
  std::span<const std::uint32_t> words;
  bool backward =
      false;  // read from the last to the first; outputs and steps keep the original order
  // From here on it is a question about what stands before.
  std::size_t question = std::numeric_limits<std::size_t>::max();

  std::size_t count() const { return words.empty() ? rows.count : words.size(); }

  // `size` rows from `begin` on, in the order of the text.
  Input part(std::size_t begin, std::size_t size) const {
    Input some = *this;
    some.question -= std::min(begin, question);
    if (!words.empty()) {
      some.words = words.subspan(begin, size);
    } else {
      some.rows.data = rows.row(begin);
      some.rows.count = size;
    }
    return some;
  }
};

// Where one reader stands; belongs to the caller, so one model serves any number of threads and
// reading in chunks is calling twice. Make it with Reader::start.
struct State {
  Buffer<float> hidden;        // d values, padded with zeros; Reader::start knows how far
  Buffer<float> cell;          // likewise; empty unless LSTM
  std::uint64_t position = 0;  // rows read so far: sampling draws depend on it
  std::uint32_t sweep = 0;     // direction of the next sweep over the weights
  Pace pace;
  std::uint64_t stream = 0;  // which draws sampling takes: give each reader of a net its own
};

// Memory a reader uses during one call. Grows to what the longest text needs and is used again.
struct Scratch {
  Buffer<float> floats;
  Buffer<const float*> pointers;
  Buffer<std::uint8_t> bytes;
};

// What a reader hands out besides the final state. Both may be absent.
struct Output {
  // The hidden state after each row, in the order of the input.
  MutableRows rows;
  // The log of updates, in the order of *reading*: for each step the first `width` entries of the
  // new state, one step after the other without gaps. It holds all a pooling needs, and a skimmed
  // word adds only d' floats to it. Must have room for count * hidden + kLogSlack floats.
  float* log = nullptr;
};
inline constexpr std::size_t kLogSlack = 64;

class Reader {
 public:
  virtual ~Reader() = default;
  virtual const ReaderSpec& spec() const = 0;

  // Zero state, buffers sized for this reader. Only State::hidden[0 .. d) is the caller's business.
  virtual void start(State& state) const = 0;

  // Reads all of `input` on from `state`. steps[t] tells what row t cost (input.count() of them).
  // Allocates only while `scratch` grows.
  virtual void read(const Input& input, const Policy& policy, State& state, const Output& output,
                    std::span<Step> steps, Scratch& scratch) const noexcept = 0;
};

// Named weights in f32, as reader_tensors lists them.
struct Tensor {
  std::string_view name;
  std::span<const float> values;
};
using Tensors = std::vector<Tensor>;

// The vectors of the words a reader reads, when it reads words: where to get row `id`, in f32.
class WordSource {
 public:
  virtual ~WordSource() = default;
  virtual std::size_t count() const = 0;
  virtual std::size_t width() const = 0;
  virtual void vector(std::uint32_t id, float* out) const noexcept = 0;
};

// `spec` and `tensors` must have passed their checks. With `words` the reader takes words, folded
// into tables of at most `table_bytes`; the source must outlive the reader. Without, it takes rows.
std::unique_ptr<Reader> make_reader(const ReaderSpec& spec, const Tensors& tensors,
                                    WeightType weights, const WordSource* words = nullptr,
                                    std::size_t table_bytes = 0);

}  // namespace skim

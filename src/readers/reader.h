// The reader interface: a recurrent layer that maps a sequence of vectors to as many hidden states.
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
#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// Input sequence of a reader: rows, or token ids of the vocabulary it was made for. One of the two
// is empty.
struct Input {
  Rows rows;
  std::span<const std::uint32_t> ids;
  // Reads from the last row to the first; outputs and steps keep the text order.
  bool backward = false;
  // Index of the first row of a question about the preceding text.
  std::size_t question_begin = std::numeric_limits<std::size_t>::max();
  // The embeddings of words that the embedding table lacks: row i is that of the id
  // num_embeddings() + i.
  const float* composed = nullptr;

  std::size_t count() const { return ids.empty() ? rows.count : ids.size(); }

  // The `size` rows from `begin` on, in text order.
  Input part(std::size_t begin, std::size_t size) const {
    Input some = *this;
    some.question_begin -= std::min(begin, question_begin);
    if (!ids.empty()) {
      some.ids = ids.subspan(begin, size);
    } else {
      some.rows.data = rows.row(begin);
      some.rows.count = size;
    }
    return some;
  }
};

// State of lstm_jump and skip_rnn readers between two words.
struct SkipState {
  std::uint64_t tokens_to_read = 0;  // lstm_jump: words (or sentences) to read before the next jump
  std::uint64_t tokens_to_skip = 0;  // lstm_jump: words (or sentences) left in the current jump
  std::uint64_t jumps_taken = 0;     // lstm_jump
  float update_prob = 1;             // skip_rnn: probability that the next word is read (u~)
  float delta = 0;                   // skip_rnn: added to update_prob per skipped word
};

// Recurrent state of one reader. The caller owns it, so that one model serves any number of threads
// and a sequence can be read in chunks. Initialize it with Reader::start.
struct State {
  Buffer<float> hidden;        // hidden_size values, zero-padded by Reader::start
  Buffer<float> cell;          // likewise; empty unless LSTM
  std::uint64_t position = 0;  // rows read so far; seeds the samples of Policy::Rule::sample
  std::uint32_t weight_scan_direction =
      0;  // direction of the next scan over the weights (lowest bit)
  SkipState skip_state;
  std::uint64_t stream = 0;  // random stream of the samples; each reader of a net has its own
};

// Scratch memory of one call. Grows to the needs of the longest text and is reused.
struct Scratch {
  Buffer<float> floats;
  Buffer<const float*> pointers;
  Buffer<std::uint8_t> bytes;
};

// Optional outputs of a reader besides the final state.
struct Output {
  // The hidden state after each row, in text order.
  MutableRows rows;
  // Log of state updates in *reading* order: for each step the first `width` entries of the new
  // state, without gaps. Sufficient for pooling (kernels/pool.h); a skimmed word adds only d'
  // floats. Must have room for count * hidden_size + kLogPadding floats.
  float* log = nullptr;
};
inline constexpr std::size_t kLogPadding = 64;

class GatheredReader;

// Immutable and thread-safe; each caller has its own State and Scratch.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const ReaderSpec& spec() const = 0;

  // Resets `state` to zero and sizes its buffers for this reader. Callers may access
  // State::hidden[0 .. hidden_size).
  virtual void start(State& state) const = 0;

  // Forward pass over all of `input`, starting from `state`. steps[t] records the width and p_read
  // of row t (input.count() of them). Allocates only while `scratch` grows, which may throw.
  virtual void read(const Input& input, const Policy& policy, State& state, const Output& output,
                    std::span<Step> steps, Scratch& scratch) const = 0;

  // A reader of many texts at once on one thread (readers/gathered_reader.h), or null when this
  // kind of reader has none. This reader must outlive it. `can_gather`, without allocating: whether
  // there is one.
  virtual std::unique_ptr<GatheredReader> gather() const;
  virtual bool can_gather() const { return false; }
};

// A named tensor in f32, as listed by reader_tensors.
struct Tensor {
  std::string_view name;
  std::span<const float> values;
};
using Tensors = std::vector<Tensor>;

// Returns the values of the tensor called `name`; empty when there is none.
inline std::span<const float> find_tensor(const Tensors& tensors, std::string_view name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return tensor.values;
  }
  return {};
}

// The embedding table of a reader of token ids. lookup() writes the embedding of `id` in f32.
class EmbeddingTable {
 public:
  virtual ~EmbeddingTable() = default;
  virtual std::size_t num_embeddings() const = 0;
  virtual std::size_t embedding_size() const = 0;
  virtual void lookup(std::uint32_t id, float* out) const noexcept = 0;
};

// Writes the embedding of a word: of the table, or a row of `composed` (Input::composed).
inline void lookup_word(const EmbeddingTable& table, const float* composed, std::uint32_t id,
                        float* out) noexcept {
  if (id < table.num_embeddings()) return table.lookup(id, out);
  std::copy_n(composed + (id - table.num_embeddings()) * table.embedding_size(),
              table.embedding_size(), out);
}

// Makes a reader. `spec` and `tensors` must be valid. With `embeddings` the reader takes token ids
// and precomputes their input projections in folded tables of at most `table_bytes`; `embeddings`
// must outlive the reader. Without, it takes rows.
std::unique_ptr<Reader> make_reader(const ReaderSpec& spec, const Tensors& tensors,
                                    WeightType weights, const EmbeddingTable* embeddings = nullptr,
                                    std::size_t table_bytes = 0);

}  // namespace skim

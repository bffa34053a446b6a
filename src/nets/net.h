// The interface of the networks: stacks of readers with the task-specific layers around them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/best_span.h"
#include "base/buffer.h"
#include "readers/reader.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

struct ModelFile;

// State and activation buffers of a forward pass; one per caller. Grows to the needs of the longest
// text and is reused.
struct NetMemory {
  struct PassMemory {
    State state;
    Buffer<float> log;             // log of state updates, for pooling
    std::size_t log_used = 0;      // floats in use
    std::vector<Step> steps;       // in text order, one per word
    std::vector<Step> full_steps;  // likewise, when the log holds full rows instead of updates
  };
  std::vector<PassMemory> passes;  // layer by layer, forward before backward
  // Outputs of the layers, double-buffered: odd and even layers alternate.
  std::array<Buffer<float>, 2> rows;
  Buffer<float> pooled, work;
  // Embeddings of words that are not in the vocabulary, whose ids follow it (Input::composed). The
  // caller sets them with the ids.
  std::vector<float> composed;
  std::vector<std::uint32_t> ids;                    // text and question, for cloze nets
  Buffer<float> text, attended, keys, bias, inputs;  // of nets with attention
  Buffer<float> question, windows, matches, gates;   // of BiDAF nets
  // The question whose encoding is in `question` and in the question's passes, reused for further
  // texts.
  struct CachedQuestion {
    bool valid = false;
    std::string text;
    Policy policy;
  };
  CachedQuestion cached_question;
  // The label of the latest check (early_answer.h), if it was confident.
  std::optional<std::size_t> confident_label;
  Scratch scratch;
};

// A tokenized query: token ids, and the source text for character features. Contains only what the
// net needs.
struct EncodedQuery {
  struct Source {
    std::string_view text;
    std::span<const TokenSpan> spans;  // of the words
  };

  std::span<const std::uint32_t> text;
  std::span<const std::uint32_t> question;
  std::span<const std::vector<std::uint32_t>> choices;
  Source text_source, question_source;
};

// Where a net writes its result, in the layout of Reading::logits and Reading::scores. The vectors
// are overwritten and keep their capacity.
struct NetOutput {
  std::vector<float>& logits;
  // After softmax (of a classifier at its temperature), sigmoid or nothing.
  std::vector<float>& scores;
};

// A net that supports streaming inference, word by word: unidirectional classifiers.
class StreamingNet {
 public:
  virtual ~StreamingNet() = default;
  // Resets the state.
  virtual void start(NetMemory& memory) const = 0;
  // Forward pass over further words. Bidirectional nets take all words in one call after start.
  virtual void read(std::span<const std::uint32_t> ids, const Policy& policy,
                    NetMemory& memory) const = 0;
  // Result for the words read so far, as Net::forward computes it.
  virtual void predict(NetMemory& memory, NetOutput out) const = 0;
  // Whether to stop after the words read so far, as they are those of a check (early_answer.h) and
  // policy.confident is reached. False when that is unset. To be called once for each check.
  virtual bool check_confidence(const Policy& policy, NetMemory& memory) const = 0;
};

struct TextChunk;

// A net that reads many texts at once on one thread: classifiers with one layer in one direction
// whose reader can be gathered. Each text has its own NetMemory: start, then a GatheredReader reads
// the chunks that next_chunk provides, then predict.
class GatheringNet : public StreamingNet {
 public:
  // One per thread.
  virtual std::unique_ptr<GatheredReader> gather() const = 0;
  // Sets `chunk` to the next words of `ids` that have not been read; it is zero-initialized or the
  // previous chunk of the same text. Returns false after the last one.
  virtual bool next_chunk(std::span<const std::uint32_t> ids, const Policy& policy,
                          NetMemory& memory, TextChunk& chunk) const = 0;
};

// Immutable and thread-safe; each thread has its own NetMemory.
class Net {
 public:
  virtual ~Net() = default;

  // Inference. Extractive nets return the span of the answer in words; others return an empty span.
  virtual BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                           NetOutput out) const = 0;
  // Null unless the net supports streaming inference.
  virtual const StreamingNet* streaming_net() const { return nullptr; }
  // Null unless the net reads many texts at once.
  virtual const GatheringNet* gathering_net() const { return nullptr; }
};

// Clears `out`; append_output adds the `count` logits and their softmax, which replaces the values
// at `logits` (padded by kPoolPadding, kernels/pool.h). write_output does both.
void begin_output(NetOutput out);
void append_output(float* logits, std::size_t count, NetOutput out, float temperature = 1);
void write_output(float* logits, std::size_t count, NetOutput out, float temperature = 1);
// The same with another activation than softmax, which alone has a temperature.
void write_output(float* logits, std::size_t count, OutputActivation activation, NetOutput out,
                  float temperature = 1);
// Replaces logits by scores, softmax(logits / temperature).
void logits_to_scores(float* logits, std::size_t count, float temperature);

// Arguments of make_net. `spec` is that of the file or of its dense baseline. `embeddings` must
// outlive the net. The folded tables of all readers together take at most `table_bytes`.
struct NetParts {
  const ModelSpec& spec;
  const ModelFile& file;
  const EmbeddingTable& embeddings;
  std::size_t table_bytes = 0;
};
std::unique_ptr<Net> make_net(const NetParts& parts);

}  // namespace skim

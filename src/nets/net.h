// A network: readers and what stands around them, for one kind of task.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "readers/reader.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

struct ModelFile;

// One caller's memory for a net. Grows to what the longest text needs and is used again.
struct NetMemory {
  struct PassMemory {
    State state;
    Buffer<float> log;         // updates of the hidden state, where the pooling needs them
    std::size_t log_used = 0;  // floats of it
    std::vector<Step> steps;   // in the order of the text; as many as words were read
    std::vector<Step> whole;   // likewise, where the log holds whole rows instead of updates
  };
  std::vector<PassMemory> passes;  // layer by layer, forward before backward
  // Output rows of a layer on their way into the next: odd and even layers take turns.
  std::array<Buffer<float>, 2> rows;
  Buffer<float> pooled, work;
  std::vector<std::uint32_t> words;  // of all that is read, where that is not one text
  Buffer<float> text, attended, keys, bias, inputs;  // of nets that attend to a question
  Buffer<float> question, windows, matches, gates;   // of those that look at letters, too
  // What memory.question and the question's passes hold, for whoever asks the same about many
  // texts.
  struct ReadQuestion {
    bool there = false;
    std::string text;
    Policy policy;
  };
  ReadQuestion read_question;
  Scratch scratch;
};

// A query in ids of words, and how those are spelled. Only what the net needs is there.
struct Asked {
  struct Spelling {
    std::string_view bytes;
    std::span<const Word> words;
  };

  std::span<const std::uint32_t> text;
  std::span<const std::uint32_t> question;
  std::span<const std::vector<std::uint32_t>> choices;
  Spelling text_spelling, question_spelling;
};

// A piece of the text, from its first word to its last; nothing when last < first.
struct Piece {
  std::size_t first = 1;
  std::size_t last = 0;
};

// A net that takes a text word by word, because it needs nothing but what it has read so far.
class Listener {
 public:
  virtual ~Listener() = default;
  // Forgets all words.
  virtual void start(NetMemory& memory) const = 0;
  // Reads further words. Bidirectional nets take all words in one call after start.
  virtual void read(std::span<const std::uint32_t> words, const Policy& policy,
                    NetMemory& memory) const = 0;
  // Scores from what was read so far, as Net::answer gives them.
  virtual void scores(NetMemory& memory, std::vector<float>& scores) const = 0;
};

// Immutable: any number of threads may use one net, each with its own memory.
class Net {
 public:
  virtual ~Net() = default;

  // Fills `scores` as Reading::scores promises. The piece is that of nets whose answer is one.
  virtual Piece answer(const Asked& asked, const Policy& policy, NetMemory& memory,
                       std::vector<float>& scores) const = 0;
  // Null unless the net can take a text word by word.
  virtual const Listener* listener() const { return nullptr; }
};

// What a net is made from. `spec` is the file's own or its plain twin's; `words` must outlive the
// net; the tables of all readers of words together take at most `table_bytes`.
struct NetParts {
  const ModelSpec& spec;
  const ModelFile& file;
  const WordSource& words;
  std::size_t table_bytes = 0;
};
std::unique_ptr<Net> make_net(const NetParts& parts);

}  // namespace skim

// Reads many texts at once on one thread: each text skims ahead until it must read a word and
// waits; when enough texts wait, their reads run together (kernels/gathered.h). Every text gets the
// bits that Reader::read computes, whatever the other texts are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/gathered.h"
#include "readers/reader.h"
#include "readers/recurrent.h"

namespace skim {

// A part of a text to read: what Reader::read takes. All pointers must stay valid until the next
// call of TextSource::next for the same slot.
struct TextChunk {
  std::span<const std::uint32_t> ids;  // not empty
  Policy policy;
  State* state = nullptr;
  float* log = nullptr;  // Output::log
  std::span<Step> steps;
  const float* composed = nullptr;  // Input::composed
};

// Where a GatheredReader gets its texts from.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // The chunk of `slot`, if it had one, has been read: the state is in its State. Sets `chunk` to
  // the next one for this slot and returns true, or returns false when there is none. A text of
  // several chunks stays in its slot.
  virtual bool next(std::size_t slot, TextChunk& chunk) = 0;
};

class GatheredReader {
 public:
  // Texts in flight.
  static constexpr std::size_t kSlots = 16;

  // Whether the kernels have a gathered forward pass for this reader.
  static bool supports(const RecurrentReader& reader);
  // Null unless it is supported.
  static std::unique_ptr<GatheredReader> create(const RecurrentReader& reader);
  GatheredReader(const GatheredReader&) = delete;
  GatheredReader& operator=(const GatheredReader&) = delete;

  // Reads until every slot is empty. Allocates only on the first call; what `source` throws leaves
  // the reader ready for another call.
  void read(TextSource& source);

 private:
  // A text in flight and the block of it that is being read.
  struct Slot {
    TextChunk chunk;
    Input input;
    std::optional<Block> block;
    Scratch scratch;
    RecurrentReader::Memory memory;
    GateSource source;
    GatheredSequence sequence;
  };

  explicit GatheredReader(const RecurrentReader& reader);
  // Starts the next block of a slot, of the next chunk if need be; false when there is none.
  bool start_block(Slot& slot, TextSource& source);
  bool start_chunk(Slot& slot, TextSource& source);
  void finish_block(Slot& slot);
  // Files a sequence under what it needs.
  void file(GatheredSequence& sequence, TextSource& source);
  void await_read(GatheredSequence& sequence);
  void skim(TextSource& source);
  void read_longest_queue(TextSource& source);

  const RecurrentReader& reader_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // Sequences that need to skim, and those that wait for a read, by their scan direction where it
  // matters.
  struct Queue {
    std::array<GatheredSequence*, kSlots> items{};
    std::size_t size = 0;

    void push(GatheredSequence& sequence) { items[size++] = &sequence; }
    void drop_first(std::size_t count);
  };
  Queue skimming_;
  std::array<Queue, 2> waiting_;
};

}  // namespace skim

// Input: standard input or a file, read as it arrives.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"

namespace skim::cli {

// Reads all of standard input.
Result<std::string> read_input();

// Reads lines from a descriptor in blocks. A block ends where the input pauses, so that everything
// that has arrived can be processed before waiting for more.
class LineReader {
 public:
  struct Limits {
    std::size_t lines = 1024;                              // per block
    std::size_t bytes = std::size_t{1} << 20U;             // per block, unless one line is longer
    std::size_t max_line_bytes = std::size_t{256} << 20U;  // longer lines are an error
  };

  // Borrows the descriptor.
  explicit LineReader(int descriptor) : LineReader(descriptor, Limits{}) {}
  LineReader(int descriptor, Limits limits) : descriptor_(descriptor), limits_(limits) {}

  // Returns the next lines without their newlines (LF or CRLF); empty at the end of the input.
  // Waits only while no complete line is available. The views are valid until the next call.
  Result<std::vector<std::string_view>> next_block();
  // Number of the first line of the last block, from 1.
  std::size_t first_line() const { return first_line_; }

 private:
  enum class Wait { no, yes };
  // Reads once if data is available or `wait` is yes. Returns false when nothing was read.
  Result<bool> fill(Wait wait);
  void discard_consumed();
  bool has_enough() const;
  std::vector<std::string_view> consume();

  int descriptor_;
  Limits limits_;
  std::string buffer_;
  std::vector<std::size_t> line_ends_;  // newline offsets in buffer_, sorted
  std::size_t consumed_ = 0;            // bytes of buffer_ returned in the last block
  std::size_t consumed_lines_ = 0;
  std::size_t first_line_ = 1;
  bool ended_ = false;
};

}  // namespace skim::cli

// What comes in: standard input or a file, read as it arrives.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"

namespace skim::cli {

// All of standard input.
Result<std::string> read_input();

// Lines from a descriptor, in blocks of what is there: a block ends where the input pauses, so
// that everything that has arrived can be answered before waiting for more.
class LineReader {
 public:
  struct Limits {
    std::size_t lines = 1024;                            // of a block
    std::size_t bytes = std::size_t{1} << 20U;           // of a block, unless one line has more
    std::size_t longest_line = std::size_t{256} << 20U;  // more is an error
  };

  // Borrows the descriptor.
  explicit LineReader(int descriptor) : LineReader(descriptor, Limits{}) {}
  LineReader(int descriptor, Limits limits) : descriptor_(descriptor), limits_(limits) {}

  // The next lines, without their line ends (LF or CRLF); at least one unless the input has ended.
  // Waits only while there is not a single whole line. The views last until the next call.
  Result<std::vector<std::string_view>> next_block();
  // The number of the first line of the last block, counted from 1.
  std::size_t first_line() const { return first_line_; }

 private:
  enum class Wait { no, yes };
  // Reads once, if there is something to read or `wait` says so. False when nothing came.
  Result<bool> fill(Wait wait);
  void drop_taken();
  bool has_enough() const;
  std::vector<std::string_view> take();

  int descriptor_;
  Limits limits_;
  std::string buffer_;
  std::vector<std::size_t> line_ends_;  // of all lines in buffer_, positions rising
  std::size_t taken_ = 0;               // bytes of buffer_ that the last block handed out
  std::size_t taken_lines_ = 0;
  std::size_t first_line_ = 1;
  bool ended_ = false;
};

}  // namespace skim::cli

// Input: standard input or a file, read as it arrives.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "skim/result.h"

namespace skim::cli {

// The longest text that `read` and `run` accept, in bytes. Inference with the built-in model needs
// 80 bytes of memory per byte of text, and 200 if it reads every word.
inline constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20U;

// A file to read, or standard input.
class InputFile {
 public:
  // "-" is standard input.
  static Result<InputFile> open(const std::string& name);

  int descriptor() const;
  // An error that begins with the name of the file.
  tl::unexpected<Error> error(const Error& error) const;

 private:
  InputFile(std::string name, FileDescriptor file)
      : name_(std::move(name)), file_(std::move(file)) {}
  std::string name_;
  FileDescriptor file_;  // empty for standard input
};

// Reads one text to the end of the file; fails if it is longer than `max_bytes`.
Result<std::string> read_one_text(const InputFile& input, std::size_t max_bytes = kMaxTextBytes);

// Reads lines from a descriptor in blocks. A block ends where the input pauses, so that everything
// that has arrived can be processed before waiting for more. Enlarges a pipe, so that more arrives
// while a block is processed.
class LineReader {
 public:
  struct Limits {
    std::size_t lines = 1024;  // per block
    // Per block, unless one line is longer. Half of the longest line, so that a block does not take
    // more memory than that line even if every buffer has twice the size that it needs.
    std::size_t bytes = kMaxTextBytes / 2;
    std::size_t max_line_bytes = kMaxTextBytes;  // longer lines are an error
  };

  // Borrows the descriptor.
  explicit LineReader(int descriptor) : LineReader(descriptor, Limits{}) {}
  LineReader(int descriptor, Limits limits);

  // Returns the next lines without their newlines (LF or CRLF); empty at the end of the input.
  // Waits only while no complete line is available. The views are valid until the next call. A line
  // that is too long is an error once the lines before it have been returned.
  Result<std::vector<std::string_view>> next_block();
  // Number of the first line of the last block, from 1.
  std::size_t first_line() const { return first_line_; }

 private:
  enum class Wait { no, yes };
  // Reads once if data is available or `wait` is yes. Returns false when nothing was read.
  Result<bool> fill(Wait wait);
  void discard_consumed();
  bool has_enough() const;
  // Whether the line that has not ended yet is too long already.
  bool is_overlong() const;
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

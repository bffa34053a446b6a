#include "cli/input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/result_macros.h"

namespace skim::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;
// The default of 64 KiB is some fifty reviews: too few to keep all texts in flight.
[[maybe_unused]] constexpr int kPipeBytes = 1 << 20;

bool is_ready(int descriptor, int milliseconds) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, milliseconds) > 0;
}

// Appends the result of one read(); 0 bytes at the end of the input. Waits for data.
Result<std::size_t> read_some(int descriptor, std::string& into) {
  const std::size_t before = into.size();
  into.resize(before + kChunk);
  while (true) {
    const ssize_t got = ::read(descriptor, into.data() + before, kChunk);
    if (got >= 0) {
      into.resize(before + static_cast<std::size_t>(got));
      return static_cast<std::size_t>(got);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      is_ready(descriptor, -1);
    } else if (errno != EINTR) {
      const std::string reason = std::strerror(errno);
      into.resize(before);
      return fail(Fault::io, "cannot read the input: " + reason);
    }
  }
}

tl::unexpected<Error> overlong(const std::string& what, std::size_t max_bytes) {
  return fail(Fault::format, what + " is longer than " + std::to_string(max_bytes) +
                                 " bytes, the limit of one text; split it");
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& name) {
  if (name == "-") return InputFile("", FileDescriptor());
  FileDescriptor file = open_file(name, O_RDONLY);
  if (!file) return system_error(name, "cannot open it");
  return InputFile(name, std::move(file));
}

int InputFile::descriptor() const { return file_ ? file_.number() : STDIN_FILENO; }

tl::unexpected<Error> InputFile::error(const Error& error) const {
  return fail(error.fault, (name_.empty() ? "" : name_ + ": ") + error.message);
}

Result<std::string> read_one_text(const InputFile& input, std::size_t max_bytes) {
  std::string text;
  while (true) {
    const auto got = read_some(input.descriptor(), text);
    if (!got) return input.error(got.error());
    if (*got == 0) return text;
    if (text.size() > max_bytes) return input.error(overlong("the text", max_bytes).value());
  }
}

// Fails for what is not a pipe, and where the system's limit is lower.
LineReader::LineReader(int descriptor, Limits limits) : descriptor_(descriptor), limits_(limits) {
#ifdef F_SETPIPE_SZ
  if (::fcntl(descriptor, F_GETPIPE_SZ) < kPipeBytes) ::fcntl(descriptor, F_SETPIPE_SZ, kPipeBytes);
#endif
}

Result<bool> LineReader::fill(Wait wait) {
  if (wait == Wait::no && !is_ready(descriptor_, 0)) return false;
  const std::size_t before = buffer_.size();
  SKIM_ASSIGN_OR_RETURN(const auto got, read_some(descriptor_, buffer_));
  ended_ = got == 0;
  for (std::size_t at = buffer_.find('\n', before); at != std::string::npos;
       at = buffer_.find('\n', at + 1)) {
    line_ends_.push_back(at);
  }
  return !ended_;
}

void LineReader::discard_consumed() {
  first_line_ += consumed_lines_;
  buffer_.erase(0, consumed_);
  line_ends_.erase(line_ends_.begin(),
                   std::find_if(line_ends_.begin(), line_ends_.end(),
                                [this](std::size_t end) { return end >= consumed_; }));
  for (std::size_t& end : line_ends_) end -= consumed_;
  consumed_ = consumed_lines_ = 0;
}

bool LineReader::has_enough() const {
  return line_ends_.size() >= limits_.lines ||
         (!line_ends_.empty() && buffer_.size() >= limits_.bytes);
}

bool LineReader::is_overlong() const {
  const std::size_t complete = line_ends_.empty() ? 0 : line_ends_.back() + 1;
  return buffer_.size() - complete > limits_.max_line_bytes;
}

std::vector<std::string_view> LineReader::consume() {
  std::vector<std::string_view> lines;
  const auto add = [this, &lines](std::size_t end) {
    std::string_view line = std::string_view(buffer_).substr(consumed_, end - consumed_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > limits_.max_line_bytes) return false;
    lines.push_back(line);
    consumed_ = std::min(end + 1, buffer_.size());
    return true;
  };
  std::size_t count = 0;
  while (count < std::min(line_ends_.size(), limits_.lines) && add(line_ends_[count])) ++count;
  const bool has_unterminated_line =
      ended_ && count == line_ends_.size() && consumed_ < buffer_.size();
  if (has_unterminated_line) add(buffer_.size());
  consumed_lines_ = lines.size();
  return lines;
}

Result<std::vector<std::string_view>> LineReader::next_block() {
  discard_consumed();
  while (!has_enough() && !ended_ && !is_overlong()) {
    SKIM_ASSIGN_OR_RETURN(const auto got, fill(line_ends_.empty() ? Wait::yes : Wait::no));
    if (!got) break;
  }
  auto lines = consume();
  if (lines.empty() && !buffer_.empty())
    return overlong("line " + std::to_string(first_line_), limits_.max_line_bytes);
  return lines;
}

}  // namespace skim::cli

#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/options.h"

namespace skim::cli {
namespace {

constexpr std::string_view kClosedPipe = "the output pipe was closed";

}  // namespace

Result<void> write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (errno == EPIPE) return fail(Fault::io, std::string(kClosedPipe));
    return fail(Fault::io, std::string("cannot write the output: ") + std::strerror(errno));
  }
  return {};
}

bool is_closed_pipe(const Error& error) { return error.message == kClosedPipe; }

int print(std::string_view text) {
  const auto written = write_all(STDOUT_FILENO, text);
  return written ? static_cast<int>(kSuccess) : failed("", written.error());
}

void print_message(std::string_view verb, std::string_view message) {
  std::string text = verb.empty() ? "skim: " : "skim " + std::string(verb) + ": ";
  text += printable_lines(message);
  text += '\n';
  // A failure of standard error cannot be reported anywhere.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

int failed(std::string_view verb, const Error& error) {
  if (!is_closed_pipe(error)) print_message(verb, error.message);
  return kFailure;
}

}  // namespace skim::cli

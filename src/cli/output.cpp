#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/utf8.h"
#include "cli/options.h"

namespace skim::cli {
namespace {

constexpr std::string_view kClosedPipe = "the output pipe was closed";

// C0, delete, C1 (two bytes in UTF-8) and bidirectional control characters.
bool is_terminal_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2) {
    return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  }
  return (character >= "\u202A" && character <= "\u202E") ||
         (character >= "\u2066" && character <= "\u2069");
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    out += escaped;
  }
}

std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += "\uFFFD";
    } else if (is_terminal_control(character) && kept.find(character) == std::string_view::npos) {
      append_escaped(character, out);
    } else {
      out += character;
    }
    at += character.size();
  }
  return out;
}

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

std::string printable(std::string_view text) { return escape_controls(text, {}); }

std::string printable_lines(std::string_view text) { return escape_controls(text, "\n\t"); }

}  // namespace skim::cli

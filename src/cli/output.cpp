#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/options.h"

namespace skim::cli {
namespace {

constexpr std::string_view kClosedPipe = "the reader of the output closed it";

// The bytes of the UTF-8 character at the start of `text`, 0 if it is not a valid one.
std::size_t character_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// C0, delete, C1 (as two bytes in UTF-8), and the characters that turn the direction of writing.
bool steers_terminal(std::string_view character) {
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

std::string made_printable(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += "\uFFFD";
    } else if (steers_terminal(character) && kept.find(character) == std::string_view::npos) {
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
  return written ? static_cast<int>(kDone) : failed("", written.error());
}

void complain(std::string_view verb, std::string_view message) {
  std::string text = verb.empty() ? "skim: " : "skim " + std::string(verb) + ": ";
  text += printable_lines(message);
  text += '\n';
  // There is no better place to say that standard error does not work.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

int failed(std::string_view verb, const Error& error) {
  if (!is_closed_pipe(error)) complain(verb, error.message);
  return kFailed;
}

std::string printable(std::string_view text) { return made_printable(text, {}); }

std::string printable_lines(std::string_view text) { return made_printable(text, "\n\t"); }

}  // namespace skim::cli

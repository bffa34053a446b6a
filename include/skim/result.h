// What the world can do wrong (a file, a text, a flag) comes back as a value, never as an
// exception.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace skim {

enum class Fault {
  io,        // the system refused: missing file, full disk
  format,    // the bytes are not what they claim to be
  version,   // made by a newer skim
  argument,  // the caller asked for something that makes no sense
  mismatch,  // two things that must agree do not
};

// `message` says what, where, and what to do; it needs no prefix.
struct Error {
  Fault fault = Fault::argument;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Fault fault, std::string message) {
  return tl::make_unexpected(Error{fault, std::move(message)});
}

}  // namespace skim

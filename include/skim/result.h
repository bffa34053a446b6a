// Error handling without exceptions: a function that can fail returns Result<T>.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace skim {

enum class Fault {
  io,        // a system call failed: missing file, full disk
  format,    // malformed or damaged data
  version,   // data of a newer version of skim
  argument,  // an invalid argument
  mismatch,  // two inputs that must agree do not
};

// `message` says what is wrong, where, and what to do; it needs no prefix.
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

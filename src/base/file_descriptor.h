// A file descriptor that closes itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "skim/result.h"

namespace skim {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

// open(2), repeated when a signal interrupts it. Sets errno on failure.
inline FileDescriptor open_file(const std::filesystem::path& path, int flags, mode_t mode = 0) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return FileDescriptor(number);
}

// "imdb.skim: cannot open it: No such file or directory", from errno.
inline tl::unexpected<Error> system_error(const std::filesystem::path& path,
                                          const std::string& what, int error = errno) {
  return fail(Fault::io,
              path.string() + ": " + what + ": " + std::generic_category().message(error));
}

}  // namespace skim

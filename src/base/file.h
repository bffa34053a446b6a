// Private copies of files, memory-mapped files, whole-file reads and atomic writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/anonymous_mapping.h"
#include "base/file_descriptor.h"
#include "skim/result.h"

namespace skim {

// A regular file whose bytes are copied into private memory: whatever happens to the file later,
// the copy stays as it is. The bytes stay where they are when the object moves.
class FileCopy {
 public:
  // Opens the file and reads nothing. Fails for directories, pipes and devices.
  static Result<FileCopy> open(const std::filesystem::path& path);

  // Reads the bytes before `end` that have not been read yet, at most to the end of the file.
  // Fails if the file has become shorter since it was opened, or if the machine has less memory.
  Result<void> read_until(std::size_t end);

  // As many bytes as the file had when it was opened. Those that have not been read are zero.
  std::span<const std::byte> bytes() const { return {memory_.data(), memory_.size()}; }

 private:
  FileCopy(std::filesystem::path path, FileDescriptor file, AnonymousMapping memory)
      : path_(std::move(path)), file_(std::move(file)), memory_(std::move(memory)) {}

  std::filesystem::path path_;
  FileDescriptor file_;  // until all bytes are read
  AnonymousMapping memory_;
  std::size_t num_read_ = 0;
};

// A read-only mapping of a regular file. The bytes stay valid for the lifetime of the object, also
// after a move, provided that nobody truncates or overwrites the file in place (write_atomically
// never does). For programs that end soon; others use FileCopy.
class MappedFile {
 public:
  // Fails for directories, pipes and devices. An empty file has no bytes.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // Reads all pages at once, which is much cheaper than single page faults. Call it when the file
  // is known to be what it claims: pages of a sparse file take memory, too.
  void populate() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// The whole content of a file, pipe or device.
Result<std::string> read_text(const std::filesystem::path& path);

// Replaces the contents of `path` atomically and durably: writes, syncs and renames a temporary
// file in the same directory. Keeps the permissions of an existing file and follows symbolic links.
// After an error the old file is untouched and the temporary file is removed.
Result<void> write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
Result<void> write_atomically(const std::filesystem::path& path, std::string_view text);

// Fails where write_atomically would fail before it writes: the directory is missing or read-only,
// or `path` is a directory or a device. Leaves no file behind.
Result<void> check_writable(const std::filesystem::path& path);

// Removes temporary files that killed processes left in `folder`. Files being written are kept.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace skim

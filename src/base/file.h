// Memory-mapped files, whole-file reads and atomic writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim {

// A read-only mapping of a regular file, populated when it is opened. The bytes stay valid for the
// lifetime of the object, also after a move, provided that nobody truncates the file in place
// (write_atomically never does).
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

// Removes temporary files that killed processes left in `folder`. Files being written are kept.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace skim

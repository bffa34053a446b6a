// Files: mapped, read whole, and replaced in one go.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim {

// A regular file mapped read-only; its pages are fetched at once. The bytes stay valid while the
// object lives, moved or not, provided nobody shortens the file in place (write_atomically never
// does).
class MappedFile {
 public:
  // Folders, pipes and devices are errors; an empty file gives no bytes.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// The whole content of a file, pipe or device.
Result<std::string> read_text(const std::filesystem::path& path);

// Replaces `path` by `bytes` so that at every moment, a power cut included, either the old or the
// new content is there: a temporary file beside it is written, synced and renamed. Keeps the
// permissions of an existing file and writes through a symbolic link. After an error the old file
// is untouched and the temporary one gone.
Result<void> write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
Result<void> write_atomically(const std::filesystem::path& path, std::string_view text);

// Only a killed process can leave its temporary file behind: this removes such files from `folder`
// and leaves alone those that are being written.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

}  // namespace skim

#include "base/file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <utility>

#include "base/file_descriptor.h"
#include "base/result_macros.h"

namespace skim {
namespace {

// Non-blocking: opening a pipe without a writer would hang.
Result<FileDescriptor> open_to_map(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error(path, "cannot open it");
  return file;
}

Result<std::size_t> size_to_map(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return system_error(path, "cannot inspect it");
  if (S_ISDIR(info.st_mode)) return fail(Fault::io, path.string() + ": is a directory, not a file");
  if (!S_ISREG(info.st_mode)) {
    return fail(Fault::io, path.string() +
                               ": is a pipe or device and cannot be mapped; copy its content to a "
                               "file first");
  }
  return static_cast<std::size_t>(info.st_size);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(const auto file, open_to_map(path));
  SKIM_ASSIGN_OR_RETURN(const auto size, size_to_map(file, path));
  if (size == 0) return MappedFile();
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) return system_error(path, "cannot map it into memory");
  return MappedFile({static_cast<const std::byte*>(start), size});
}

void MappedFile::populate() const {
  if (bytes_.empty()) return;
  // Fails on kernels before 5.14, where pages are then read on first access.
  static_cast<void>(
      ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_POPULATE_READ));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<std::string> read_text(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error(path, "cannot open it");
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return system_error(path, "cannot inspect it");
  if (S_ISDIR(info.st_mode)) return fail(Fault::io, path.string() + ": is a directory, not a file");
  std::string text;
  if (S_ISREG(info.st_mode)) text.reserve(static_cast<std::size_t>(info.st_size));
  std::array<char, 65536> block;
  while (true) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, "cannot read it");
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace skim

#include "base/file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/file_descriptor.h"
#include "base/result_macros.h"

namespace skim {
namespace {

// Non-blocking: opening a pipe without a writer would hang.
Result<FileDescriptor> open_regular(const std::filesystem::path& path) {
  FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) return system_error(path, "cannot open it");
  return file;
}

Result<std::size_t> regular_size(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return system_error(path, "cannot inspect it");
  if (S_ISDIR(info.st_mode)) return fail(Fault::io, path.string() + ": is a directory, not a file");
  if (!S_ISREG(info.st_mode)) {
    return fail(Fault::io, path.string() +
                               ": is a pipe or device, expected a file; copy its content to a "
                               "file first");
  }
  return static_cast<std::size_t>(info.st_size);
}

std::size_t machine_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<FileCopy> FileCopy::open(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(auto file, open_regular(path));
  SKIM_ASSIGN_OR_RETURN(const auto size, regular_size(file, path));
  AnonymousMapping memory(size);
  if (memory.size() != size) return system_error(path, "cannot allocate memory for it", ENOMEM);
  return FileCopy(path, std::move(file), std::move(memory));
}

Result<void> FileCopy::read_until(std::size_t end) {
  end = std::min(end, memory_.size());
  // Reading such a file would end in the kernel killing this process.
  if (end > machine_memory()) {
    return fail(Fault::io, path_.string() + ": has " + std::to_string(memory_.size()) +
                               " bytes, this machine has only " + std::to_string(machine_memory()) +
                               " bytes of memory");
  }
  while (num_read_ < end) {
    const ssize_t got = ::read(file_.number(), memory_.data() + num_read_, end - num_read_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path_, "cannot read it");
    if (got == 0) {
      return fail(Fault::io, path_.string() + ": ends after " + std::to_string(num_read_) +
                                 " bytes, it had " + std::to_string(memory_.size()) +
                                 " when it was opened: another program is writing to it; try "
                                 "again when that has finished");
    }
    num_read_ += static_cast<std::size_t>(got);
  }
  if (num_read_ == memory_.size()) file_ = FileDescriptor();
  return {};
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(const auto file, open_regular(path));
  SKIM_ASSIGN_OR_RETURN(const auto size, regular_size(file, path));
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
  const FileDescriptor file = open_file(path, O_RDONLY);
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

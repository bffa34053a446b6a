#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <optional>

#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/result_macros.h"

namespace skim {
namespace {

using std::filesystem::path;

constexpr int kAttempts = 1000;
constexpr std::string_view kTemporaryPrefix = ".skim-";
constexpr std::string_view kTemporarySuffix = ".tmp";

path temporary_name(int attempt) {
  return std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "-" +
         std::to_string(attempt) + std::string(kTemporarySuffix);
}

// A writer holds the lock of its temporary file until the file is renamed or removed: a file that
// can be locked is abandoned.
bool lock(const FileDescriptor& file) { return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0; }

// Whether `name` still refers to the open file: it may have been renamed since it was opened, and
// another writer may have reused its name.
bool is_file_at(const FileDescriptor& file, const path& name) {
  struct stat open {};
  struct stat there {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(name.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

// False when the file was removed as abandoned between its creation and the lock. If that cannot be
// determined, the rename of a removed file fails.
bool lock_as_writer(const FileDescriptor& file) {
  struct stat info {};
  if (!lock(file) && errno == EWOULDBLOCK)
    return false;  // other errors: a file system without locks
  return ::fstat(file.number(), &info) != 0 || info.st_nlink > 0;
}

// A temporary file that removes itself unless it is committed.
class TemporaryFile {
 public:
  // In the directory of `target`, because a rename is atomic only within a file system.
  static Result<TemporaryFile> create(const path& target) {
    const path folder = target.has_parent_path() ? target.parent_path() : path(".");
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      TemporaryFile temporary(folder / temporary_name(attempt), folder);
      if (temporary.open()) return temporary;
      if (temporary.file_ || errno == EEXIST) continue;
      return system_error(target, "cannot create a file in the directory '" + folder.string() +
                                      "' (does it exist, may you write there?)");
    }
    return fail(Fault::io, target.string() + ": too many temporary files '.skim-*.tmp' in '" +
                               folder.string() + "'; remove them");
  }

  TemporaryFile(TemporaryFile&& other) noexcept
      : name_(std::move(other.name_)),
        folder_(std::move(other.folder_)),
        file_(std::move(other.file_)),
        exists_(std::exchange(other.exists_, false)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (exists_) ::unlink(name_.c_str());
  }

  int number() const { return file_.number(); }

  Result<void> commit(const path& target) {
    if (::fsync(file_.number()) != 0) {
      return system_error(target, "cannot store it safely; the old file is untouched");
    }
    if (std::rename(name_.c_str(), target.c_str()) != 0) {
      return system_error(target, "cannot replace it; the old file is untouched");
    }
    exists_ = false;
    // The new name is durable only after the directory is synced. Some file systems cannot sync a
    // directory; the content is in place all the same.
    if (const FileDescriptor folder = open_file(folder_, O_RDONLY | O_DIRECTORY); folder) {
      ::fsync(folder.number());
    }
    return {};
  }

 private:
  // Allocates all memory before the file exists, so that it cannot be left behind.
  TemporaryFile(path name, path folder) : name_(std::move(name)), folder_(std::move(folder)) {}

  // Creates and locks the file. False with a descriptor: it was removed as abandoned.
  bool open() {
    file_ = open_file(name_, O_WRONLY | O_CREAT | O_EXCL, 0666);
    exists_ = file_ && lock_as_writer(file_);
    return exists_;
  }

  path name_;
  path folder_;
  FileDescriptor file_;
  bool exists_ = false;
};

Result<void> write_all(int file, std::span<const std::byte> bytes, const path& target) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return system_error(target, "cannot write it (free some space?); the old file is untouched");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

// Permissions of the file to be replaced; nullopt when there is none.
Result<std::optional<mode_t>> existing_mode(const path& target) {
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return system_error(target, "cannot inspect it");
  }
  if (S_ISDIR(info.st_mode))
    return fail(Fault::io, target.string() + ": is a directory, not a file");
  if (!S_ISREG(info.st_mode)) {
    return fail(Fault::io,
                target.string() + ": is a pipe or device; give the name of a file to write");
  }
  return info.st_mode & 07777U;
}

// The target of a symbolic link, else the path itself.
path resolve_link(const path& target) {
  std::error_code failure;
  const path end = std::filesystem::canonical(target, failure);
  return failure ? target : end;
}

}  // namespace

Result<void> write_atomically(const path& path, std::span<const std::byte> bytes) {
  if (path.empty()) return fail(Fault::argument, "no file name to write to");
  const auto target = resolve_link(path);
  SKIM_ASSIGN_OR_RETURN(const auto mode, existing_mode(target));
  SKIM_ASSIGN_OR_RETURN(auto temporary, TemporaryFile::create(target));
  if (mode && ::fchmod(temporary.number(), *mode) != 0) {
    return system_error(path, "cannot keep its permissions; the old file is untouched");
  }
  SKIM_RETURN_IF_ERROR(write_all(temporary.number(), bytes, path));
  return temporary.commit(target);
}

Result<void> check_writable(const path& path) {
  if (path.empty()) return fail(Fault::argument, "no file name to write to");
  const auto target = resolve_link(path);
  SKIM_RETURN_IF_ERROR(existing_mode(target));
  SKIM_RETURN_IF_ERROR(TemporaryFile::create(target));
  return {};
}

void remove_abandoned_temporaries(const path& folder) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix)) continue;
    const FileDescriptor file = open_file(entry.path(), O_RDONLY | O_NOFOLLOW);
    // Nobody else renames or removes a file while we hold its lock.
    if (file && lock(file) && is_file_at(file, entry.path())) ::unlink(entry.path().c_str());
  }
}

Result<void> write_atomically(const path& path, std::string_view text) {
  return write_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace skim

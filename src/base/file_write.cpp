#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <optional>

#include "base/descriptor.h"
#include "base/file.h"

namespace skim {
namespace {

using std::filesystem::path;

constexpr int kAttempts = 1000;
constexpr std::string_view kTemporaryStart = ".skim-";
constexpr std::string_view kTemporaryEnd = ".tmp";

path temporary_name(int attempt) {
  return std::string(kTemporaryStart) + std::to_string(::getpid()) + "-" + std::to_string(attempt) +
         std::string(kTemporaryEnd);
}

// Whoever writes a temporary file holds its lock until it is renamed or gone: one that can be
// locked was left by a killed process.
bool lock(const Descriptor& file) { return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0; }

// Whether the open file is what stands at `name`: it may have been renamed since it was opened, and
// another writer's file may have its name by now.
bool stands_at(const Descriptor& file, const path& name) {
  struct stat open {};
  struct stat there {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(name.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

// False when the file was taken for an abandoned one between its creation and the lock.
bool lock_as_writer(const Descriptor& file) {
  struct stat info {};
  if (!lock(file) && errno == EWOULDBLOCK)
    return false;  // other errors: no locks here, no sweeping
  return ::fstat(file.number(), &info) == 0 && info.st_nlink > 0;
}

// A file that removes itself unless it has been put in its place.
class Temporary {
 public:
  // In the folder of `target`, because only there can it be renamed in one go.
  static Result<Temporary> create(const path& target) {
    const path folder = target.has_parent_path() ? target.parent_path() : path(".");
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const path name = folder / temporary_name(attempt);
      Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file && lock_as_writer(file)) return Temporary(name, folder, std::move(file));
      if (file || errno == EEXIST) continue;
      return system_error(target, "cannot create a file in the folder '" + folder.string() +
                                      "' (does it exist, may you write there?)");
    }
    return fail(Fault::io, target.string() + ": too many temporary files '.skim-*.tmp' in '" +
                               folder.string() + "'; remove them");
  }

  Temporary(Temporary&& other) noexcept
      : name_(std::exchange(other.name_, {})),
        folder_(std::move(other.folder_)),
        file_(std::move(other.file_)) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int number() const { return file_.number(); }

  Result<void> put_in_place(const path& target) {
    if (::fsync(file_.number()) != 0) {
      return system_error(target, "cannot store it safely; the old file is untouched");
    }
    if (std::rename(name_.c_str(), target.c_str()) != 0) {
      return system_error(target, "cannot replace it; the old file is untouched");
    }
    name_.clear();
    // The new name is durable only once the folder is. Some file systems cannot sync a folder: the
    // content is in place all the same.
    if (const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        folder) {
      ::fsync(folder.number());
    }
    return {};
  }

 private:
  Temporary(path name, path folder, Descriptor file)
      : name_(std::move(name)), folder_(std::move(folder)), file_(std::move(file)) {}
  path name_;
  path folder_;
  Descriptor file_;
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

// Permissions of what will be replaced; none when there is nothing yet.
Result<std::optional<mode_t>> old_mode(const path& target) {
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return system_error(target, "cannot inspect it");
  }
  if (S_ISDIR(info.st_mode)) return fail(Fault::io, target.string() + ": is a folder, not a file");
  if (!S_ISREG(info.st_mode)) {
    return fail(Fault::io,
                target.string() + ": is a pipe or device; give the name of a file to write");
  }
  return info.st_mode & 07777U;
}

// Where a symbolic link leads, else the path itself.
path follow(const path& target) {
  std::error_code failure;
  const path end = std::filesystem::canonical(target, failure);
  return failure ? target : end;
}

}  // namespace

Result<void> write_atomically(const path& path, std::span<const std::byte> bytes) {
  if (path.empty()) return fail(Fault::argument, "no file name to write to");
  const auto target = follow(path);
  const auto mode = old_mode(target);
  if (!mode) return tl::make_unexpected(mode.error());
  auto temporary = Temporary::create(target);
  if (!temporary) return tl::make_unexpected(temporary.error());
  if (*mode && ::fchmod(temporary->number(), **mode) != 0) {
    return system_error(path, "cannot keep its permissions; the old file is untouched");
  }
  if (auto written = write_all(temporary->number(), bytes, path); !written) return written;
  return temporary->put_in_place(target);
}

void remove_abandoned_temporaries(const path& folder) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTemporaryStart) || !name.ends_with(kTemporaryEnd)) continue;
    const Descriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    // Nobody else renames or removes a file whose lock we hold.
    if (file && lock(file) && stands_at(file, entry.path())) ::unlink(entry.path().c_str());
  }
}

Result<void> write_atomically(const path& path, std::string_view text) {
  return write_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace skim

// Preloaded into a program (LD_PRELOAD), makes chosen calls into the C library fail.
//   SKIM_FAULT=CLASS:N       the N-th call of the class fails, counted from 1 over all threads
//   SKIM_FAULT=CLASS:N+      the N-th call and all later ones
//   SKIM_FAULT_OWN=1         only calls by the program itself and the standard library count
//   SKIM_FAULT_COUNTS=FILE   when main returns, appends a line "CLASS CALLS" per class to FILE
// Counting begins with main: a failure before that is out of the program's hands. Linux with glibc.
// tests/faults/run_tests.py uses it; the classes are the rows of `classes`.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The allocator below the names that this file replaces.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum Class : unsigned {
  kAlloc,
  kMmap,
  kOpen,
  kRead,
  kWrite,
  kSync,
  kRename,
  kStat,
  kSocket,
  kAccept,
  kConnection,
  kPoll,
  kEventfd,
  kThread,
  kInterrupt,
  kPartial,
  kNumClasses
};

struct ClassState {
  const char* name;
  int error;
  std::atomic<long> calls{0};
};
ClassState classes[kNumClasses] = {
    {"alloc", ENOMEM},
    {"mmap", ENOMEM},
    {"open", EMFILE},
    {"read", EIO},
    {"write", ENOSPC},
    {"fsync", EIO},
    {"rename", EIO},
    {"stat", EIO},
    {"socket", EMFILE},
    {"accept", EMFILE},
    {"connection", ECONNRESET},
    {"poll", ENOMEM},
    {"eventfd", EMFILE},
    {"thread", EAGAIN},
    // Every call that a signal may interrupt.
    {"interrupt", EINTR},
    // Every read or write of more than a byte, which then transfers half of its bytes.
    {"partial", 0},
};

bool armed = false;
unsigned chosen = kNumClasses;
long first_failure = 0;
bool fails_again = false;
bool own_calls_only = false;

constexpr std::size_t kMaxDescriptors = 4096;
std::array<std::atomic<bool>, kMaxDescriptors> is_eventfd{};

bool is_own(const void* caller) {
  Dl_info program{};
  Dl_info from{};
  if (dladdr(caller, &from) == 0) return false;
  return (dladdr(reinterpret_cast<const void*>(getauxval(AT_ENTRY)), &program) != 0 &&
          program.dli_fbase == from.dli_fbase) ||
         std::strstr(from.dli_fname, "libstdc++") != nullptr;
}

// Counts a call; true, with errno set, when it is to fail.
bool fails(Class which, const void* caller) {
  if (!armed || (own_calls_only && !is_own(caller))) return false;
  const long call = classes[which].calls.fetch_add(1) + 1;
  if (which != chosen || call < first_failure) return false;
  if (call > first_failure && !fails_again) return false;
  errno = classes[which].error;
  return true;
}

// Reads and writes of an eventfd cannot fail.
bool is_exempt(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < kMaxDescriptors &&
         is_eventfd[static_cast<std::size_t>(file)];
}

// Messages are exempt: they say what failed.
bool write_fails(int file, const void* caller) {
  return file != STDERR_FILENO && fails(kWrite, caller);
}

std::size_t transferred(std::size_t size, const void* caller) {
  return size > 1 && fails(kPartial, caller) ? size / 2 : size;
}

void choose(const char* request) {
  const char* colon = std::strchr(request, ':');
  if (colon == nullptr) return;
  for (unsigned i = 0; i < kNumClasses; ++i) {
    const std::size_t length = std::strlen(classes[i].name);
    if (length == static_cast<std::size_t>(colon - request) &&
        std::strncmp(classes[i].name, request, length) == 0)
      chosen = i;
  }
  char* end = nullptr;
  first_failure = std::strtol(colon + 1, &end, 10);
  fails_again = *end == '+';
}

void write_counts(const char* path) {
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) return;
  for (const ClassState& each : classes) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%s %ld\n", each.name, each.calls.load());
    syscall(SYS_write, file, line, length);
  }
  syscall(SYS_close, file);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

void finish() {
  armed = false;
  if (const char* path = std::getenv("SKIM_FAULT_COUNTS")) write_counts(path);
}

int counted_main(int count, char** values, char** environment) {
  armed = true;
  const int code = program_main(count, values, environment);
  finish();
  return code;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int open_file(const char* path, int flags, mode_t mode, const void* caller) {
  if (fails(kInterrupt, caller) || fails(kOpen, caller)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

std::FILE* open_stream(const char* path, const char* mode, const void* caller) {
  using Open = std::FILE*(const char*, const char*);
  return fails(kOpen, caller) ? nullptr : next<Open>("fopen")(path, mode);
}

}  // namespace

// Has default visibility, unlike everything else in this build.
#define REPLACES __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

extern "C" {

REPLACES int __libc_start_main(Main main, int count, char** values, void (*init)(), void (*fini)(),
                               void (*end_of_linker)(), void* stack_end) {
  using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  if (const char* request = std::getenv("SKIM_FAULT")) choose(request);
  own_calls_only = std::getenv("SKIM_FAULT_OWN") != nullptr;
  program_main = main;
  return next<Start>("__libc_start_main")(counted_main, count, values, init, fini, end_of_linker,
                                          stack_end);
}

// skim-train ends with it.
[[noreturn]] REPLACES void _exit(int code) {
  finish();
  while (true) syscall(SYS_exit_group, code);
}

// --- memory
REPLACES void* malloc(std::size_t size) noexcept {
  return fails(kAlloc, CALLER) ? nullptr : __libc_malloc(size);
}
REPLACES void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(kAlloc, CALLER) ? nullptr : __libc_calloc(count, size);
}
REPLACES void* realloc(void* block, std::size_t size) noexcept {
  return fails(kAlloc, CALLER) ? nullptr : __libc_realloc(block, size);
}
REPLACES void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(kAlloc, CALLER) ? nullptr : __libc_memalign(alignment, size);
}
REPLACES void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(kAlloc, CALLER) ? nullptr : __libc_memalign(alignment, size);
}
REPLACES int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = fails(kAlloc, CALLER) ? nullptr : __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
REPLACES void* mmap(void* address, std::size_t size, int protection, int flags, int file,
                    off_t offset) noexcept {
  if (fails(kMmap, CALLER)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

// --- files
REPLACES int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file(path, flags, mode, CALLER);
}
REPLACES int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_file(path, flags, mode, CALLER);
}
REPLACES std::FILE* fopen(const char* path, const char* mode) {
  return open_stream(path, mode, CALLER);
}
REPLACES std::FILE* fopen64(const char* path, const char* mode) {
  return open_stream(path, mode, CALLER);
}
REPLACES ssize_t read(int file, void* bytes, std::size_t size) {
  if (!is_exempt(file)) {
    if (fails(kInterrupt, CALLER) || fails(kRead, CALLER)) return -1;
    size = transferred(size, CALLER);
  }
  return syscall(SYS_read, file, bytes, size);
}
REPLACES ssize_t write(int file, const void* bytes, std::size_t size) {
  if (!is_exempt(file)) {
    if (fails(kInterrupt, CALLER) || write_fails(file, CALLER)) return -1;
    size = transferred(size, CALLER);
  }
  return syscall(SYS_write, file, bytes, size);
}
REPLACES ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (fails(kInterrupt, CALLER) || write_fails(file, CALLER)) return -1;
  return syscall(SYS_pwrite64, file, bytes, transferred(size, CALLER), offset);
}
REPLACES int fsync(int file) {
  return fails(kSync, CALLER) ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
REPLACES int rename(const char* from, const char* to) noexcept {
  return fails(kRename, CALLER) ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}
REPLACES int stat(const char* path, struct stat* info) noexcept {
  return fails(kStat, CALLER) ? -1 : fstatat(AT_FDCWD, path, info, 0);
}
REPLACES int lstat(const char* path, struct stat* info) noexcept {
  return fails(kStat, CALLER) ? -1 : fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}
REPLACES int fstat(int file, struct stat* info) noexcept {
  return fails(kStat, CALLER) ? -1 : fstatat(file, "", info, AT_EMPTY_PATH);
}
REPLACES int fchmod(int file, mode_t mode) noexcept {
  return fails(kStat, CALLER) ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}
REPLACES int flock(int file, int operation) noexcept {
  return fails(kStat, CALLER) ? -1 : static_cast<int>(syscall(SYS_flock, file, operation));
}

// --- sockets and events
REPLACES int socket(int domain, int type, int protocol) noexcept {
  return fails(kSocket, CALLER) ? -1
                                : static_cast<int>(syscall(SYS_socket, domain, type, protocol));
}
REPLACES int bind(int file, const sockaddr* address, socklen_t size) noexcept {
  return fails(kSocket, CALLER) ? -1 : static_cast<int>(syscall(SYS_bind, file, address, size));
}
REPLACES int listen(int file, int backlog) noexcept {
  return fails(kSocket, CALLER) ? -1 : static_cast<int>(syscall(SYS_listen, file, backlog));
}
REPLACES int accept4(int file, sockaddr* address, socklen_t* size, int flags) {
  if (fails(kInterrupt, CALLER) || fails(kAccept, CALLER)) return -1;
  return static_cast<int>(syscall(SYS_accept4, file, address, size, flags));
}
REPLACES ssize_t recv(int file, void* bytes, std::size_t size, int flags) {
  if (fails(kInterrupt, CALLER) || fails(kConnection, CALLER)) return -1;
  return syscall(SYS_recvfrom, file, bytes, transferred(size, CALLER), flags, nullptr, nullptr);
}
REPLACES ssize_t send(int file, const void* bytes, std::size_t size, int flags) {
  if (fails(kInterrupt, CALLER) || fails(kConnection, CALLER)) return -1;
  return syscall(SYS_sendto, file, bytes, transferred(size, CALLER), flags, nullptr, 0);
}
REPLACES ssize_t sendmsg(int file, const msghdr* message, int flags) {
  if (fails(kInterrupt, CALLER) || fails(kConnection, CALLER)) return -1;
  const std::size_t first = message->msg_iovlen > 0 ? message->msg_iov[0].iov_len : 0;
  if (const std::size_t size = transferred(first, CALLER); size < first)
    return syscall(SYS_sendto, file, message->msg_iov[0].iov_base, size, flags, nullptr, 0);
  return syscall(SYS_sendmsg, file, message, flags);
}
REPLACES int poll(pollfd* files, nfds_t count, int timeout) {
  if (fails(kInterrupt, CALLER) || fails(kPoll, CALLER)) return -1;
  return static_cast<int>(syscall(SYS_poll, files, count, timeout));
}
REPLACES int epoll_create1(int flags) noexcept {
  return fails(kPoll, CALLER) ? -1 : static_cast<int>(syscall(SYS_epoll_create1, flags));
}
REPLACES int epoll_ctl(int poller, int operation, int file, epoll_event* event) noexcept {
  return fails(kPoll, CALLER)
             ? -1
             : static_cast<int>(syscall(SYS_epoll_ctl, poller, operation, file, event));
}
REPLACES int epoll_wait(int poller, epoll_event* events, int count, int timeout) {
  if (fails(kInterrupt, CALLER) || fails(kPoll, CALLER)) return -1;
  return static_cast<int>(syscall(SYS_epoll_wait, poller, events, count, timeout));
}
REPLACES int eventfd(unsigned value, int flags) noexcept {
  if (fails(kEventfd, CALLER)) return -1;
  const int file = static_cast<int>(syscall(SYS_eventfd2, value, flags));
  if (file >= 0 && static_cast<std::size_t>(file) < kMaxDescriptors)
    is_eventfd[static_cast<std::size_t>(file)] = true;
  return file;
}

// --- threads
REPLACES int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                            void* (*start)(void*), void* argument) noexcept {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (fails(kThread, CALLER)) return EAGAIN;
  return next<Create>("pthread_create")(thread, attributes, start, argument);
}

}  // extern "C"

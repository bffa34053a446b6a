#include "base/process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/file_descriptor.h"

extern char** environ;

namespace skim {
namespace {

volatile std::sig_atomic_t child = 0;

void forward_signal(int signal) {
  if (child > 0) ::kill(static_cast<pid_t>(child), signal);
}

// Forwards SIGINT and SIGTERM to the child during its lifetime.
class SignalForwarder {
 public:
  SignalForwarder() {
    struct sigaction action = {};
    action.sa_handler = forward_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &action, &before_[i]);
  }
  SignalForwarder(const SignalForwarder&) = delete;
  SignalForwarder& operator=(const SignalForwarder&) = delete;
  ~SignalForwarder() {
    child = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_ = {};
};

struct Pipe {
  FileDescriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Fault::io, std::string("cannot create a pipe: ") + std::strerror(errno));
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// Writes the input and reads the output concurrently, to avoid a deadlock on full pipes.
void communicate(Pipe& in, Pipe& out, std::string_view input, std::string& output) {
  if (input.empty()) in.write = FileDescriptor();
  // A blocking write would keep us from reading.
  if (in.write) ::fcntl(in.write.number(), F_SETFL, O_NONBLOCK);
  while (in.write.number() >= 0 || out.read.number() >= 0) {
    std::array<pollfd, 2> events = {pollfd{in.write.number(), POLLOUT, 0},
                                    pollfd{out.read.number(), POLLIN, 0}};
    if (::poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (events[0].revents != 0) {
      const ssize_t sent = ::write(in.write.number(), input.data(), input.size());
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      const bool retry = sent < 0 && (errno == EINTR || errno == EAGAIN);
      if (input.empty() || (sent < 0 && !retry)) in.write = FileDescriptor();
    }
    if (events[1].revents != 0) {
      std::array<char, 1 << 16> bytes;
      const ssize_t got = ::read(out.read.number(), bytes.data(), bytes.size());
      if (got > 0) output.append(bytes.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) out.read = FileDescriptor();
    }
  }
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ProcessResult> run_program(const Program& program) {
  auto in = make_pipe();
  auto out = make_pipe();
  if (!in || !out) return tl::make_unexpected(in ? out.error() : in.error());

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in->read.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out->write.number(), STDOUT_FILENO);
  // We ignore SIGPIPE, which a child would inherit.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t pipe_signal;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words = program.command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const SignalForwarder forwarder;
  pid_t process = 0;
  const int fault =
      ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (fault != 0)
    return fail(Fault::io, "cannot start " + program.command[0] + ": " + std::strerror(fault));
  child = process;
  in->read = FileDescriptor();
  out->write = FileDescriptor();

  ProcessResult result;
  communicate(*in, *out, program.input, result.output);
  result.status = wait_for(process);
  return result;
}

}  // namespace skim

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

#include "base/descriptor.h"

extern char** environ;

namespace skim {
namespace {

volatile std::sig_atomic_t child = 0;

void hand_on(int signal) {
  if (child > 0) ::kill(static_cast<pid_t>(child), signal);
}

// While it lives, signals that ask to end go to the child.
class HandingOn {
 public:
  HandingOn() {
    struct sigaction action = {};
    action.sa_handler = hand_on;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &action, &before_[i]);
  }
  HandingOn(const HandingOn&) = delete;
  HandingOn& operator=(const HandingOn&) = delete;
  ~HandingOn() {
    child = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_ = {};
};

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Fault::io, std::string("no pipe to be had: ") + std::strerror(errno));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Feeds and listens in turn, so that neither side waits for the other for ever.
void converse(Pipe& in, Pipe& out, std::string_view input, std::string& output) {
  if (input.empty()) in.write = Descriptor();
  // A write that waits for room would not listen meanwhile.
  if (in.write) ::fcntl(in.write.number(), F_SETFL, O_NONBLOCK);
  while (in.write.number() >= 0 || out.read.number() >= 0) {
    std::array<pollfd, 2> ways = {pollfd{in.write.number(), POLLOUT, 0},
                                  pollfd{out.read.number(), POLLIN, 0}};
    if (::poll(ways.data(), ways.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (ways[0].revents != 0) {
      const ssize_t sent = ::write(in.write.number(), input.data(), input.size());
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      const bool later = sent < 0 && (errno == EINTR || errno == EAGAIN);
      if (input.empty() || (sent < 0 && !later)) in.write = Descriptor();
    }
    if (ways[1].revents != 0) {
      std::array<char, 1 << 16> bytes;
      const ssize_t got = ::read(out.read.number(), bytes.data(), bytes.size());
      if (got > 0) output.append(bytes.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) out.read = Descriptor();
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

Result<Ended> run_program(const Program& program) {
  auto in = make_pipe();
  auto out = make_pipe();
  if (!in || !out) return tl::make_unexpected(in ? out.error() : in.error());

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in->read.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out->write.number(), STDOUT_FILENO);
  // SIGPIPE is ignored here, which a child would inherit.
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

  const HandingOn handing_on;
  pid_t process = 0;
  const int fault =
      ::posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (fault != 0)
    return fail(Fault::io, "cannot start " + program.command[0] + ": " + std::strerror(fault));
  child = process;
  in->read = Descriptor();
  out->write = Descriptor();

  Ended ended;
  converse(*in, *out, program.input, ended.output);
  ended.status = wait_for(process);
  return ended;
}

}  // namespace skim

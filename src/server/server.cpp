#include "server/server.h"

#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <utility>

#include "base/result_macros.h"
#include "server/event_loop.h"

namespace skim::server {
namespace {

// Connections over the limit that receive a 503; further ones are closed without a response.
constexpr std::size_t kMaxRejected = 256;
// Descriptors that the process needs besides connections.
constexpr std::size_t kOtherDescriptors = 64;

// Raises the soft limit on open descriptors if necessary.
Result<void> raise_descriptor_limit(std::size_t required) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_cur >= required) return {};
  if (limit.rlim_max < required) {
    return fail(Fault::argument, "the limit on open files is " + std::to_string(limit.rlim_max) +
                                     ", expected at least " + std::to_string(required) +
                                     "; lower --max-connections or raise `ulimit -n`");
  }
  limit.rlim_cur = required;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  return {};
}

}  // namespace

Result<void> serve(ServerState state) {
  const std::size_t required = state.options.limits.connections + kMaxRejected + kOtherDescriptors;
  SKIM_RETURN_IF_ERROR(raise_descriptor_limit(required));
  EventLoop loop(std::move(state), kMaxRejected);
  return loop.run();
}

}  // namespace skim::server

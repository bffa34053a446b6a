#include "server/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "server/event_loop.h"

namespace skim::server {
namespace {

// Descriptors that the process needs besides connections.
constexpr std::size_t kOtherDescriptors = 32;

// Connections over the limit that receive a 503; further ones are closed without a response.
std::size_t max_rejected(std::size_t connections) {
  return std::clamp<std::size_t>(connections / 4, 32, 256);
}

std::size_t required_descriptors(std::size_t connections) {
  return connections + max_rejected(connections) + kOtherDescriptors;
}

std::string descriptor_advice(std::size_t connections, std::size_t available) {
  const std::string raise = "raise the limit to " +
                            std::to_string(required_descriptors(connections)) +
                            " (`ulimit -n`, or LimitNOFILE of systemd)";
  while (connections > 0 && required_descriptors(connections) > available) --connections;
  if (connections == 0) return raise;
  return raise + ", or use --max-connections " + std::to_string(connections);
}

}  // namespace

Result<void> reserve_descriptors(const Limits& limits) {
  const std::size_t required = required_descriptors(limits.connections);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= required) return {};
  limit.rlim_cur = std::min<rlim_t>(required, limit.rlim_max);
  if (limit.rlim_cur == required && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return fail(Fault::argument, "the limit on open files is " + std::to_string(limit.rlim_max) +
                                   ", expected at least " + std::to_string(required) + " for " +
                                   std::to_string(limits.connections) + " connections; " +
                                   descriptor_advice(limits.connections, limit.rlim_max));
}

Result<void> serve(ServerState state) {
  const std::size_t rejected = max_rejected(state.options.limits.connections);
  EventLoop loop(std::move(state), rejected);
  return loop.run();
}

}  // namespace skim::server

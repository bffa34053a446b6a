#include "server/http.h"

#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <utility>

#include "server/loop.h"

namespace skim::server {
namespace {

// Connections beyond the limit that are being told so; more are closed without a word.
constexpr std::size_t kMostRefused = 256;
// Files the program has open besides connections.
constexpr std::size_t kOtherFiles = 64;

// Every connection is a file to the system.
Result<void> allow_files(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_cur >= wanted) return {};
  if (limit.rlim_max < wanted) {
    return fail(Fault::argument, "the system allows " + std::to_string(limit.rlim_max) +
                                     " open files, " + std::to_string(wanted) +
                                     " are needed; take fewer --max-connections");
  }
  limit.rlim_cur = wanted;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  return {};
}

}  // namespace

Result<void> serve(Running running) {
  const std::size_t files = running.site.limits.connections + kMostRefused + kOtherFiles;
  if (auto allowed = allow_files(files); !allowed) return tl::make_unexpected(allowed.error());
  Loop loop(std::move(running), kMostRefused);
  return loop.run();
}

}  // namespace skim::server

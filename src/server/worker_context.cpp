#include "server/worker_context.h"

namespace skim::server {
namespace {

constexpr std::size_t kMaxRetainedTextBytes = std::size_t{64} << 10U;

}  // namespace

Session& WorkerContext::session(std::size_t model) {
  if (!sessions_[model]) sessions_[model].emplace(models_[model].model);
  return *sessions_[model];
}

void WorkerContext::shrink(std::size_t text_bytes) {
  if (text_bytes <= kMaxRetainedTextBytes) return;
  reading_ = {};
  for (auto& session : sessions_) session.reset();
}

}  // namespace skim::server

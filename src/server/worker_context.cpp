#include "server/worker_context.h"

namespace skim::server {
namespace {

constexpr std::size_t kMaxRetainedTextBytes = std::size_t{64} << 10U;

}  // namespace

void WorkerContext::shrink(ModelSet& models, std::size_t text_bytes) {
  if (text_bytes <= kMaxRetainedTextBytes) return;
  reading_ = {};
  models.clear_sessions(worker_);
}

void WorkerContext::clear_texts(ModelSet& models) {
  texts_.clear();
  if (!texts_.is_large()) return;
  texts_ = {};
  models.clear_sessions(worker_);
}

}  // namespace skim::server

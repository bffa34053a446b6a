#include "server/pool.h"

#include <algorithm>

namespace skim::server {
namespace {

constexpr std::size_t kGiantText = std::size_t{64} << 10U;

}  // namespace

Session& Desk::session(std::size_t model) {
  if (!sessions_[model]) sessions_[model].emplace(models_[model].model);
  return *sessions_[model];
}

void Desk::tidy_up(std::size_t text_bytes) {
  if (text_bytes <= kGiantText) return;
  reading_ = {};
  for (auto& session : sessions_) session.reset();
}

std::optional<std::size_t> find_model(const std::vector<Served>& models, std::string_view name) {
  if (name.empty()) return 0;
  const auto found = std::find_if(models.begin(), models.end(),
                                  [name](const Served& each) { return each.name == name; });
  if (found == models.end()) return std::nullopt;
  return static_cast<std::size_t>(found - models.begin());
}

}  // namespace skim::server

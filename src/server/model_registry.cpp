#include "server/model_registry.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace skim::server {
namespace {

bool any_reads_together(const std::vector<Model>& models) {
  return std::any_of(models.begin(), models.end(),
                     [](const Model& each) { return each.reads_together(); });
}

}  // namespace

Session& ModelSet::session(std::size_t worker, std::size_t model) {
  std::vector<std::optional<Session>>& sessions = sessions_[worker];
  if (sessions.empty()) sessions.resize(models_.size());
  if (!sessions[model]) sessions[model].emplace(models_[model]);
  return *sessions[model];
}

ModelRegistry::ModelRegistry(std::vector<ServedModel> models, std::size_t num_workers)
    : num_workers_(num_workers) {
  std::vector<Model> loaded;
  for (ServedModel& each : models) {
    names_.push_back(std::move(each.name));
    loaded.push_back(std::move(each.model));
  }
  reads_together_ = any_reads_together(loaded);
  current_ = std::make_shared<ModelSet>(std::move(loaded), num_workers_);
}

std::optional<std::size_t> ModelRegistry::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::shared_ptr<ModelSet> ModelRegistry::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ModelRegistry::replace(std::vector<Model> models) {
  assert(models.size() == names_.size());
  reads_together_ = any_reads_together(models);
  auto replacement = std::make_shared<ModelSet>(std::move(models), num_workers_);
  {
    const std::lock_guard lock(mutex_);
    current_.swap(replacement);
  }
  // Frees the old models here, without the lock, unless a request still uses them.
}

}  // namespace skim::server

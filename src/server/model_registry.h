// The models that the server answers with.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/session.h"

namespace skim::server {

// A model and the name under which clients request it. Clients never see the model's path.
struct ServedModel {
  std::string name;
  Model model;
};

// All models at one time, with the sessions of all worker threads. A request uses one set from
// start to end; whoever releases a replaced set last frees its models and sessions.
class ModelSet {
 public:
  ModelSet(std::vector<Model> models, std::size_t num_workers)
      : models_(std::move(models)), sessions_(num_workers) {}

  std::size_t size() const { return models_.size(); }
  const Model& model(std::size_t index) const { return models_[index]; }

  // The session of a worker thread with a model, created on first use. Only that thread may use it.
  Session& session(std::size_t worker, std::size_t model);
  // Frees the sessions of a worker thread.
  void clear_sessions(std::size_t worker) { sessions_[worker].clear(); }

 private:
  std::vector<Model> models_;
  std::vector<std::vector<std::optional<Session>>> sessions_;  // by worker thread, then by model
};

// Thread-safe. The names are fixed; a reload replaces the models behind them.
class ModelRegistry {
 public:
  // At least one model; the first one is the default.
  ModelRegistry(std::vector<ServedModel> models, std::size_t num_workers);

  const std::vector<std::string>& names() const { return names_; }
  // The index of the model with this name.
  std::optional<std::size_t> find(std::string_view name) const;
  std::size_t num_workers() const { return num_workers_; }
  // Whether the texts of at least one model can be read together.
  bool reads_together() const { return reads_together_.load(std::memory_order_relaxed); }

  std::shared_ptr<ModelSet> current() const;
  // Replaces all models at once, in the order of the names. Requests that have begun keep theirs.
  void replace(std::vector<Model> models);

 private:
  std::vector<std::string> names_;
  std::size_t num_workers_;
  std::atomic<bool> reads_together_{false};
  mutable std::mutex mutex_;  // guards current_
  std::shared_ptr<ModelSet> current_;
};

}  // namespace skim::server

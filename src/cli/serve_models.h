// The models of `skim serve`: loading them at start, and again on SIGHUP.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "cli/model_choice.h"
#include "server/metrics.h"
#include "server/model_registry.h"
#include "skim/result.h"

namespace skim::cli {

// A model to serve: the file that one --model names, and the name for clients.
struct ModelSource {
  std::string name;
  ModelChoice choice;
};

// Parses the arguments of --model: NAME=FILE, FILE (named by its stem) or a built-in model; without
// arguments the built-in model. Fails for invalid and for equal names.
Result<std::vector<ModelSource>> find_models(const std::vector<std::string>& arguments,
                                             int table_mib);
Result<std::vector<server::ServedModel>> load_models(const std::vector<ModelSource>& sources);

// What a reload did. One message describes all models.
struct ReloadReport {
  std::vector<server::ReloadResult> results;  // in the order of the sources
  std::string message;
};
// Loads the models of all sources again and replaces those in the registry, or none of them if one
// file is refused. Models whose file has not changed stay, with their folded embedding tables.
ReloadReport reload_models(const std::vector<ModelSource>& sources,
                           server::ModelRegistry& registry);

// Reloads the models on a thread of its own, so that requests are answered meanwhile. Prints the
// message of each reload on standard error and counts its results.
class Reloader {
 public:
  // A reload begins when `request`, a blocking eventfd, becomes readable. Requests that come during
  // a reload cause one more. `stop` is an eventfd for the destructor. Borrows all arguments.
  Reloader(const std::vector<ModelSource>& sources, server::ModelRegistry& registry,
           server::Metrics& metrics, const FileDescriptor& request, const FileDescriptor& stop);
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;
  // Waits for a reload that has begun.
  ~Reloader();

 private:
  void run();

  const std::vector<ModelSource>& sources_;
  server::ModelRegistry& registry_;
  server::Metrics& metrics_;
  const FileDescriptor& request_;
  const FileDescriptor& stop_;
  std::thread thread_;
};

}  // namespace skim::cli

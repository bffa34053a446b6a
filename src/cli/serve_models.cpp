#include "cli/serve_models.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "base/result_macros.h"
#include "cli/output.h"

namespace skim::cli {
namespace {

using server::ReloadResult;

bool is_model_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

Result<ModelSource> find_model(const std::string& argument, int table_mib) {
  const std::size_t equals = argument.find('=');
  const bool has_name = equals != std::string::npos && is_model_name(argument.substr(0, equals));
  ModelChoice choice;
  choice.file = has_name ? argument.substr(equals + 1) : argument;
  choice.table_mib = table_mib;
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(choice));
  const std::string name = has_name ? argument.substr(0, equals) : path.stem().string();
  if (is_model_name(name)) return ModelSource{name, choice};
  return fail(Fault::argument, argument +
                                   ": expected a model name of at most 64 letters, digits and "
                                   "._-; give one with --model NAME=FILE");
}

// Verifies the checksum of the weights: unlike a command, a server may load a file that another
// program is writing.
Result<Model> load_verified(const ModelChoice& choice) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(choice));
  LoadOptions options = load_options(choice);
  options.verify_checksum = true;
  try {
    return Model::load(path, options);
  } catch (const std::bad_alloc&) {
    return fail(Fault::io, path.string() + ": out of memory");
  }
}

// Prints a message unless nobody reads standard error: that must not block the shutdown. A writable
// pipe accepts 4096 bytes.
void print_unless_blocked(std::string_view message) {
  constexpr int kTimeout = 500;  // milliseconds
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, kTimeout) > 0) print_message("serve", message.substr(0, 4000));
}

// "reviews reloaded (checksum 0123456789abcdef), news unchanged"
std::string describe_results(const std::vector<ModelSource>& sources, const ReloadReport& report,
                             const server::ModelSet& models) {
  std::string text;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text +=
        (i == 0 ? "" : ", ") + sources[i].name + " " + std::string(to_string(report.results[i]));
    if (report.results[i] == ReloadResult::reloaded) {
      text += " (checksum " + models.model(i).checksum() + ")";
    }
  }
  return text;
}

}  // namespace

Result<std::vector<ModelSource>> find_models(const std::vector<std::string>& arguments,
                                             int table_mib) {
  std::vector<ModelSource> sources;
  const std::vector<std::string> built_in = {""};
  for (const std::string& argument : arguments.empty() ? built_in : arguments) {
    SKIM_ASSIGN_OR_RETURN(auto source, find_model(argument, table_mib));
    const auto same_name = [&](const ModelSource& each) { return each.name == source.name; };
    if (std::any_of(sources.begin(), sources.end(), same_name)) {
      return fail(Fault::argument, "two models have the name '" + source.name +
                                       "'; rename one with --model NAME=FILE");
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::vector<server::ServedModel>> load_models(const std::vector<ModelSource>& sources) {
  std::vector<server::ServedModel> models;
  for (const ModelSource& source : sources) {
    SKIM_ASSIGN_OR_RETURN(auto model, load_verified(source.choice));
    models.push_back({source.name, std::move(model)});
  }
  return models;
}

ReloadReport reload_models(const std::vector<ModelSource>& sources,
                           server::ModelRegistry& registry) {
  const std::shared_ptr<server::ModelSet> current = registry.current();
  ReloadReport report;
  std::vector<Model> models;
  std::string errors;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto loaded = load_verified(sources[i].choice);
    if (!loaded) {
      report.results.push_back(ReloadResult::failed);
      errors += (errors.empty() ? "" : "; ") + sources[i].name + ": " + loaded.error().message;
      continue;
    }
    const Model& old = current->model(i);
    const bool unchanged = loaded->checksum() == old.checksum();
    report.results.push_back(unchanged ? ReloadResult::unchanged : ReloadResult::reloaded);
    models.push_back(unchanged ? old : *loaded);
  }
  if (errors.empty()) {
    registry.replace(std::move(models));
    report.message = "reload: " + describe_results(sources, report, *registry.current());
    return report;
  }
  std::replace(report.results.begin(), report.results.end(), ReloadResult::reloaded,
               ReloadResult::kept);
  report.message = "reload failed, all models stay as they are: " + errors;
  return report;
}

Reloader::Reloader(const std::vector<ModelSource>& sources, server::ModelRegistry& registry,
                   server::Metrics& metrics, const FileDescriptor& request,
                   const FileDescriptor& stop)
    : sources_(sources),
      registry_(registry),
      metrics_(metrics),
      request_(request),
      stop_(stop),
      thread_([this] { run(); }) {}

Reloader::~Reloader() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_.number(), &one, sizeof one));
  thread_.join();
}

void Reloader::run() {
  while (true) {
    std::array<pollfd, 2> descriptors = {pollfd{stop_.number(), POLLIN, 0},
                                         pollfd{request_.number(), POLLIN, 0}};
    if (::poll(descriptors.data(), descriptors.size(), -1) <= 0) continue;
    const auto& [stop, request] = descriptors;
    if (stop.revents != 0) return;
    std::uint64_t count = 0;
    static_cast<void>(!::read(request_.number(), &count, sizeof count));
    const ReloadReport report = reload_models(sources_, registry_);
    for (std::size_t i = 0; i < report.results.size(); ++i) {
      metrics_.record_reload(i, report.results[i]);
    }
    print_unless_blocked(report.message);
  }
}

}  // namespace skim::cli

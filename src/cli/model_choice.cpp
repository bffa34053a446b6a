#include "cli/model_choice.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "base/result_macros.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

bool is_fraction(double value) { return value >= 0 && value <= 1; }

std::string fraction_expected(const char* option) {
  return std::string(option) + " must be a number from 0 to 1";
}

}  // namespace

void declare(Options& options, ModelChoice& choice) {
  options.add("--model", choice.file, "FILE",
              "model file, or the name of a built-in model (default: " + choice.built_in + ")");
  options.add("--table-memory", choice.table_mib, "MIB",
              "memory for folded embedding tables in MiB (default 512); affects speed only");
  options.add_bounds("--table-memory", 0, 1 << 20);
}

fs::path program_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

std::string find_program(const std::string& name) {
  const fs::path beside = program_path().parent_path() / name;
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside.string() : name;
}

Result<fs::path> model_path(const ModelChoice& choice) {
  std::error_code ignored;
  const bool bare_name = !choice.file.empty() && !fs::path(choice.file).has_extension() &&
                         !fs::path(choice.file).has_parent_path();
  if (!choice.file.empty() && (!bare_name || fs::exists(choice.file, ignored)))
    return fs::path(choice.file);
  auto built_in = built_in_model_path(bare_name ? choice.file : choice.built_in);
  if (built_in) return built_in;
  if (bare_name)
    return fail(Fault::argument,
                "no such file '" + choice.file + "', and " + built_in.error().message);
  return fail(Fault::argument, "no model given, and " + built_in.error().message +
                                   "; specify one with --model FILE");
}

Result<fs::path> built_in_model_path(const std::string& name) {
  const fs::path folder = program_path().parent_path(), file = name + ".skim";
  const std::array places = {folder.parent_path() / "share" / "skim" / file, folder / file};
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return fail(Fault::argument, "there is no built-in model '" + name + "' (searched " +
                                   places[0].string() + " and " + places[1].string() + ")");
}

LoadOptions load_options(const ModelChoice& choice) {
  LoadOptions options;
  options.table_bytes = static_cast<std::size_t>(std::max(choice.table_mib, 0)) << 20U;
  options.map_file = choice.map_file;
  return options;
}

Result<Model> load_model(const ModelChoice& choice) {
  SKIM_ASSIGN_OR_RETURN(auto path, model_path(choice));
  return Model::load(path, load_options(choice));
}

void declare(Options& options, PolicyChoice& choice) {
  options.add("--threshold", choice.threshold, "T",
              "read a word when p_read > T; 0 reads all, 1 skims all (default 0.5)");
  options.add("--budget", choice.budget, "B",
              "average share of the dense reader's work to spend, 0 to 1; needs `skim tune`");
  options.add_flag("--argmax", choice.argmax, "take the most likely level of every word");
  options.add_flag("--sample", choice.sample,
                   "sample each decision from the model's probabilities");
  options.add("--seed", choice.seed, "N", "random seed of --sample (default 0)");
  options.add("--confident", choice.confident, "C",
              "stop reading a text when the score of its answer so far reaches C, 0 to 1; "
              "classifiers in one direction only");
  options.add_exclusive({"--threshold", "--budget", "--argmax", "--sample"});
}

std::string validate(const PolicyChoice& choice) {
  if (choice.threshold && !is_fraction(*choice.threshold)) return fraction_expected("--threshold");
  if (choice.budget && !is_fraction(*choice.budget)) return fraction_expected("--budget");
  if (choice.confident && !is_fraction(*choice.confident)) return fraction_expected("--confident");
  return {};
}

Result<Policy> policy_for(const Model& model, const PolicyChoice& choice) {
  Policy policy;
  policy.seed = choice.seed;
  if (choice.argmax) policy.rule = Policy::Rule::argmax;
  if (choice.sample) policy.rule = Policy::Rule::sample;
  if (choice.confident) policy.confident = static_cast<float>(*choice.confident);
  if (choice.threshold) policy.threshold = static_cast<float>(*choice.threshold);
  if (choice.budget) {
    SKIM_ASSIGN_OR_RETURN(policy.threshold, model.threshold_for(*choice.budget));
  }
  return policy;
}

}  // namespace skim::cli

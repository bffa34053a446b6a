// Which model a verb works with, and how it reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/result.h"

namespace skim::cli {

// The options every verb with a model has.
struct ModelChoice {
  std::string file;  // of a model, or the name of a built-in one
  int table_mib = 512;
  std::string built_in = "default";  // what is taken when `file` is empty
};
void declare(Options& options, ModelChoice& choice);

// Built-in models stand in ../share/skim beside the program's folder, or beside the program. The
// error says what to do.
Result<std::filesystem::path> model_path(const ModelChoice& choice);
Result<Model> load_model(const ModelChoice& choice);

// The options that say how much is read.
struct PolicyChoice {
  std::optional<double> threshold;
  std::optional<double> budget;
  bool argmax = false;
  bool sample = false;
  std::uint64_t seed = 0;
};
void declare(Options& options, PolicyChoice& choice);
// What can be wrong without looking at a model; empty if nothing is.
std::string fault_of(const PolicyChoice& choice);
Result<Policy> policy_for(const Model& model, const PolicyChoice& choice);

// Where the running program stands; empty if the system does not tell.
std::filesystem::path program_path();
// A program of ours: its path beside this one if it stands there, else its name, for the PATH.
std::string sister_program(const std::string& name);

}  // namespace skim::cli

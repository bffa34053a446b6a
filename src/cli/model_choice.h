// Options for the model and the policy, shared by several verbs.
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

// Options of every verb that takes a model.
struct ModelChoice {
  std::string file;  // path, or the name of a built-in model
  int table_mib = 512;
  std::string built_in = "default";  // model to use when `file` is empty
  bool map_file = false;             // as in LoadOptions
};
void declare(Options& options, ModelChoice& choice);

// Resolves the model file. Built-in models are in ../share/skim relative to the program's
// directory, or beside the program.
Result<std::filesystem::path> model_path(const ModelChoice& choice);
// The file of a built-in model; the error says where it was searched.
Result<std::filesystem::path> built_in_model_path(const std::string& name);
LoadOptions load_options(const ModelChoice& choice);
Result<Model> load_model(const ModelChoice& choice);

// Options of the policy.
struct PolicyChoice {
  std::optional<double> threshold;
  std::optional<double> budget;
  bool argmax = false;
  bool sample = false;
  std::uint64_t seed = 0;
  std::optional<double> confident;
};
void declare(Options& options, PolicyChoice& choice);
// Returns an error message for options that are invalid for any model; empty if valid.
std::string validate(const PolicyChoice& choice);
Result<Policy> policy_for(const Model& model, const PolicyChoice& choice);

// Path of the running program; empty if unknown.
std::filesystem::path program_path();
// Returns the path of another program of the project beside this one if it exists, else its name
// for a lookup on the PATH.
std::string find_program(const std::string& name);

}  // namespace skim::cli

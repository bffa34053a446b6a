// Keeps the outputs of a command from overwriting its inputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/model_choice.h"

namespace skim::cli {

// A file that a command reads or writes, and the option or argument that names it. An empty path
// stands for an option that was not given, "-" for standard input.
struct NamedFile {
  std::string option;
  std::filesystem::path path;
};

// The file of --model, or of the built-in model; without a path if there is none.
NamedFile model_file(const ModelChoice& choice);

// Returns an error message if an output is the same file as an input, by any name or link, or as
// another output; empty if not. Pipes and devices are not checked.
std::string validate_outputs(const std::vector<NamedFile>& outputs,
                             const std::vector<NamedFile>& inputs);

}  // namespace skim::cli

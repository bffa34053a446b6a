// Training put aside: everything that a later run needs to go on as if nothing had happened.
#pragma once

#include <filesystem>
#include <string>

#include "skim/result.h"
#include "train/fit.h"

namespace skim::train {

// `recipe` tells what is trained on what; a checkpoint of another recipe is refused. Written to a
// temporary file, synced, renamed.
Result<void> write_checkpoint(const std::filesystem::path& path, const Fit::State& state,
                              const std::string& recipe);
Result<Fit::State> read_checkpoint(const std::filesystem::path& path, const std::string& recipe);

}  // namespace skim::train

// Training put aside: everything that a later run needs to go on as if nothing had happened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "skim/result.h"
#include "train/fit.h"

namespace skim::train {

// `recipe` tells what is trained on what; a checkpoint of another recipe is refused. Written to a
// temporary file, synced, renamed.
Result<void> write_checkpoint(const std::filesystem::path& path, const Fit::State& state,
                              const std::string& recipe);
// From a checkpoint's bytes; `name` is for messages.
Result<Fit::State> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& recipe);

}  // namespace skim::train

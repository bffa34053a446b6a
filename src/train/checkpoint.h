// Checkpoints: the complete state of a run, so that a resumed run gives the same model, bit by bit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "skim/result.h"
#include "train/fit.h"

namespace skim::train {

// Writes a checkpoint atomically: to a temporary file, which is synced and renamed. `config` is the
// configuration of the run (training_config.h).
Result<void> write_checkpoint(const std::filesystem::path& path, const Fit::State& state,
                              const std::string& config);
// Parses the bytes of a checkpoint and rejects one of another configuration. `name` is for
// messages.
Result<Fit::State> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& config);

}  // namespace skim::train

// Checkpoints: the complete state of a run, so that a resumed run gives the same model, bit by bit.
// Includes no torch, so that the parser can be fuzzed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "train/training_state.h"

namespace skim::train {

// Writes a checkpoint atomically: to a temporary file, which is synced and renamed. `config` is the
// configuration of the run (training_config.h).
Result<void> write_checkpoint(const std::filesystem::path& path, const TrainingState& state,
                              const std::string& config);
std::vector<std::byte> serialize_checkpoint(const TrainingState& state, const std::string& config);
// Parses the bytes of a checkpoint and rejects one of another configuration. `name` is for
// messages.
Result<TrainingState> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                       const std::string& config);

}  // namespace skim::train

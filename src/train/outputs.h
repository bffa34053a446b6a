// The files that a training writes. Includes no torch.
#pragma once

#include <string>

#include "skim/result.h"
#include "train/options.h"

namespace skim::train {

// The path of the checkpoint. The caller removes it once the model is written.
std::string checkpoint_file(const Job& job);

// Fails when the model, the log or a checkpoint could not be written: to be known before training,
// not after hours of it.
Result<void> check_outputs(const Job& job);

}  // namespace skim::train

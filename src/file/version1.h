// Reads model files of format version 1, which has other names for tensors and fields.
#pragma once

#include <string>

#include "file/safetensors.h"
#include "skim/result.h"

namespace skim {

// Gives the tensors and the metadata of a version 1 container the names of version 2. Values,
// shapes and types are the same in both. `name` is the name of the file in error messages.
Result<void> translate_version1(Container& container, const std::string& name);

}  // namespace skim

// What users would pick instead, as bench/texts/run found it.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/document.h"
#include "skim/result.h"

namespace skim::cli {

// A table a data set, from the report of bench/texts/run; none when there is no such file.
Result<std::vector<Section>> peer_sections(const std::filesystem::path& report);

}  // namespace skim::cli

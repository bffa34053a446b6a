// The reviews written for this project, as the built-in model reads them.
#pragma once

#include <filesystem>

#include "cli/document.h"
#include "skim/model.h"
#include "skim/result.h"

namespace skim::cli {

// Each text with its read words standing out, and below it what the model answered.
Result<Section> marked_reviews(const Model& model, const std::filesystem::path& file);

}  // namespace skim::cli

// The passages of this project, as question-answering models read them.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/document.h"
#include "skim/result.h"

namespace skim::cli {

// The pictures that tools/draw_passages made in `folder`; none when it made none.
Result<std::optional<Section>> drawn_passages(const std::filesystem::path& folder);

}  // namespace skim::cli

// Plain-text tables.
#pragma once

#include <string>

#include "cli/html.h"

namespace skim::cli {

// Renders the table: first column left-aligned, others right-aligned, two spaces apart, cells
// printable.
std::string table_text(const Table& table);

}  // namespace skim::cli

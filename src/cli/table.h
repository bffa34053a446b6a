// Columns of text for people.
#pragma once

#include <string>

#include "cli/html.h"

namespace skim::cli {

// The first column is set left, the others right, two spaces apart; printable.
std::string table_text(const Table& table);

}  // namespace skim::cli

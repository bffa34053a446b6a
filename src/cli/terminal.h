// Terminal properties.
#pragma once

#include <cstddef>
#include <string>

namespace skim::cli {

// Returns whether to use colours; `when` is auto, always or never. auto: standard output is a
// terminal that supports colours, and NO_COLOR is not set.
bool wants_colour(const std::string& when);

bool is_terminal(int descriptor);

// Columns of the terminal behind `descriptor`; 80 if unknown.
std::size_t terminal_width(int descriptor);

}  // namespace skim::cli

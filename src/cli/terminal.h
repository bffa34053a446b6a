// What is known of the terminal, if there is one.
#pragma once

#include <cstddef>
#include <string>

namespace skim::cli {

// `when` is auto, always or never. Auto means: standard output is a terminal that knows colours,
// and the user has not set NO_COLOR.
bool wants_colour(const std::string& when);

bool is_terminal(int descriptor);

// Columns of the terminal behind `descriptor`; 80 if it does not tell.
std::size_t terminal_width(int descriptor);

}  // namespace skim::cli

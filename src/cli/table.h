// Plain-text tables and the numbers in them.
#pragma once

#include <string>
#include <vector>

namespace skim::cli {

// The first column is left-aligned, the others right-aligned.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// Renders the table with two spaces between columns, cells printable.
std::string table_text(const Table& table);

// Formats with fixed decimals: format_number(0.12345, 2) is "0.12".
std::string format_number(double value, int decimals);
// format_percent(0.123, 1) is "12.3 %".
std::string format_percent(double share, int decimals);

}  // namespace skim::cli

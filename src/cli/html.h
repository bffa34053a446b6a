// Self-contained HTML pages without scripts or external resources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skim::cli {

// Escapes text for HTML content and attributes. Control characters and invalid UTF-8 become
// visible.
std::string escape_html(std::string_view text);

struct Page {
  std::string title;    // plain text
  std::string kicker;   // plain text, a small line above the heading
  std::string heading;  // HTML
  std::string body;     // HTML
  std::string footer;   // plain text
};
std::string render_page(const Page& page);

// One of a row of key figures: a large value with its label below. Plain text.
struct Figure {
  std::string value;
  std::string label;
};
std::string figures_html(const std::vector<Figure>& figures);

// All cells are plain text; the first column is left-aligned, the others right-aligned.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// Formats with fixed decimals: format_number(0.12345, 2) is "0.12".
std::string format_number(double value, int decimals);
// format_percent(0.123, 1) is "12.3 %".
std::string format_percent(double share, int decimals);

}  // namespace skim::cli

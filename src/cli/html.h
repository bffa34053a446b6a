// Self-contained pages: no scripts, nothing fetched from anywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skim::cli {

// Text that can stand anywhere in a page, in an attribute too. Control characters and invalid
// UTF-8 are made visible.
std::string escaped(std::string_view text);

struct Page {
  std::string title;    // plain text
  std::string kicker;   // plain text, small above the heading
  std::string heading;  // HTML
  std::string body;     // HTML
  std::string footer;   // plain text
};
std::string page_text(const Page& page);

// A row of figures: large value, what it is below. All plain text.
struct Figure {
  std::string value;
  std::string what;
};
std::string figures_html(const std::vector<Figure>& figures);

// All cells are plain text; the first column is set left, the others right.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// Fixed decimals: number_text(0.12345, 2) is "0.12".
std::string number_text(double value, int decimals);
// percent_text(0.123, 1) is "12.3 %".
std::string percent_text(double share, int decimals);

}  // namespace skim::cli

// A report as headings, text, tables, figures and marked texts, before it becomes Markdown or a
// page.
#pragma once

#include <string>
#include <vector>

#include "cli/html.h"

namespace skim::cli {

// A drawn chart; `file` is its name in the folder of figures.
struct Drawing {
  std::string file;
  std::string title;
  std::string svg;
};

// A text in pieces, some of which stand out.
struct Marked {
  struct Piece {
    std::string text;
    bool out = false;
  };
  std::string caption;
  std::vector<Piece> pieces;
};

struct Section {
  std::string heading;
  std::vector<std::string> paragraphs;  // plain text; `code` in backquotes
  Table table;
  std::vector<Drawing> drawings;
  std::vector<Marked> texts;
};

struct Document {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<Section> sections;
};

// `figures` is the folder of the drawings as the Markdown file sees it.
std::string markdown_text(const Document& document, const std::string& figures);
// One page with its drawings inside.
std::string html_text(const Document& document);

}  // namespace skim::cli

#include "cli/document.h"

#include <algorithm>
#include <string_view>

namespace skim::cli {
namespace {

// What Markdown would take for its own signs.
std::string markdown_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_cells(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    std::string text = cell;
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    line += " " + text + (text.empty() ? "|" : " |");
  }
  return line + "\n";
}

std::string markdown_table(const Table& table) {
  if (table.header.empty()) return {};
  std::string text = markdown_cells(table.header);
  text += markdown_cells(std::vector<std::string>(table.header.size(), "---"));
  for (const auto& row : table.rows) text += markdown_cells(row);
  return text;
}

std::string markdown_marked(const Marked& text) {
  std::string line = "- " + markdown_escaped(text.caption) + ": ";
  for (const Marked::Piece& piece : text.pieces) {
    const std::string words = markdown_escaped(piece.text);
    line += piece.out ? "**" + words + "**" : words;
  }
  return line + "\n";
}

// `code` becomes <code>code</code>.
std::string html_paragraph(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    const std::string part = escape_html(text.substr(at, end - at));
    out += code ? "<code>" + part + "</code>" : part;
    code = !code;
    at = end + 1;
  }
  return "<p>" + out + "</p>\n";
}

// The drawing as an element: what stands before it belongs to files of its own.
std::string inline_svg(const Drawing& drawing) {
  const std::size_t at = drawing.svg.find("<svg");
  return at == std::string::npos ? "" : "<figure>" + drawing.svg.substr(at) + "</figure>\n";
}

// Cells are plain text there: without the signs of Markdown.
Table without_backquotes(Table table) {
  for (auto& row : table.rows) {
    for (std::string& cell : row) std::erase(cell, '`');
  }
  for (std::string& cell : table.header) std::erase(cell, '`');
  return table;
}

std::string html_marked(const Marked& text) {
  std::string out = "<p><b>" + escape_html(text.caption) + "</b>: ";
  for (const Marked::Piece& piece : text.pieces)
    out += piece.out ? "<mark>" + escape_html(piece.text) + "</mark>" : escape_html(piece.text);
  return out + "</p>\n";
}

}  // namespace

std::string markdown_text(const Document& document, const std::string& figures) {
  std::string text = "# " + document.title + "\n";
  for (const std::string& paragraph : document.paragraphs) text += "\n" + paragraph + "\n";
  for (const Section& section : document.sections) {
    text += "\n## " + section.heading + "\n";
    for (const std::string& paragraph : section.paragraphs) text += "\n" + paragraph + "\n";
    if (!section.table.header.empty()) text += "\n" + markdown_table(section.table);
    for (const Drawing& drawing : section.drawings)
      text += "\n![" + drawing.title + "](" + figures + "/" + drawing.file + ")\n";
    if (!section.texts.empty()) text += "\n";
    for (const Marked& marked : section.texts) text += markdown_marked(marked);
  }
  return text;
}

std::string html_text(const Document& document) {
  Page page;
  page.title = document.title;
  page.kicker = "skim experiment report";
  page.heading = escape_html(document.title);
  for (const std::string& paragraph : document.paragraphs) page.body += html_paragraph(paragraph);
  for (const Section& section : document.sections) {
    page.body += "<section><h2>" + escape_html(section.heading) + "</h2>\n";
    for (const std::string& paragraph : section.paragraphs) page.body += html_paragraph(paragraph);
    if (!section.table.header.empty()) page.body += table_html(without_backquotes(section.table));
    for (const Drawing& drawing : section.drawings) page.body += inline_svg(drawing);
    for (const Marked& marked : section.texts) page.body += html_marked(marked);
    page.body += "</section>\n";
  }
  page.footer = "skim " SKIM_VERSION;
  return render_page(page);
}

}  // namespace skim::cli

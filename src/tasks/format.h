// The formats labelled text comes in, recognised from how they begin.
#pragma once

#include <string_view>

#include "skim/result.h"

namespace skim {

enum class Format {
  tsv,         // label<TAB>text
  table,       // a header that names the columns label and text; commas, semicolons or tabs
  fast_text,   // __label__x text
  json_lines,  // {"label": ..., "text": ...} a line
  squad,       // one JSON document of questions about paragraphs, see squad.h
  cbt,         // 21 numbered lines a question, see cbt.h
};

// What Format::table needs to know besides.
struct TableShape {
  char separator = ',';
  bool quotes = true;  // "..." may hold separators and line ends; off for tabs
};

struct Recognised {
  Format format = Format::tsv;
  TableShape table;
};

// Looks at the first lines that are not blank. The error says what was expected; it does not name
// the file.
Result<Recognised> recognise(std::string_view bytes);

// The bytes behind a UTF-8 byte order mark, if there is one.
std::string_view without_byte_order_mark(std::string_view bytes);

}  // namespace skim

// Data file formats and their detection from the first lines.
#pragma once

#include <string_view>

#include "skim/result.h"
#include "tasks/label_sets.h"

namespace skim {

enum class Format {
  tsv,         // label<TAB>text
  csv,         // a header with columns label (or labels) and text; commas, semicolons or tabs
  fast_text,   // __label__x text
  json_lines,  // one {"label": ..., "text": ...} per line
  squad,       // one JSON document of questions about paragraphs, see squad.h
  cbt,         // 21 numbered lines per question, see cbt.h
};

// Separator and quoting of a Format::csv file.
struct CsvDialect {
  char separator = ',';
  bool quotes = true;  // "..." may contain separators and newlines; false for tabs
};

struct DetectedFormat {
  Format format = Format::tsv;
  CsvDialect csv;
};

// Detects the format from the first non-blank lines. The error says what was expected; it does not
// name the file.
Result<DetectedFormat> detect_format(std::string_view bytes, LabelKind kind = LabelKind::single);

// Removes a leading UTF-8 byte order mark.
std::string_view strip_bom(std::string_view bytes);

}  // namespace skim

#include "tasks/format.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tasks/cbt.h"
#include "tasks/csv.h"
#include "tasks/squad.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

constexpr std::string_view kExpected =
    "expected lines of label<TAB>text, a CSV file whose header names the columns label and text, "
    "fastText lines (__label__x text), JSON lines with label and text, a SQuAD file, or a file of "
    "the Children's Book Test";

constexpr std::array kDialects = {CsvDialect{',', true}, CsvDialect{';', true},
                                  CsvDialect{'\t', false}};

std::string_view first_line(std::string_view bytes) {
  TextLines lines(bytes);
  while (const auto line = lines.next()) {
    if (!is_blank(line->text)) return line->text;
  }
  return {};
}

Result<DetectedFormat> detect_header(std::string_view line, LabelKind kind) {
  for (const CsvDialect& dialect : kDialects) {
    const auto header = split_header(line, dialect);
    if (find_columns(header, kind)) return DetectedFormat{Format::csv, dialect};
  }
  const auto names = split_header(line, kDialects[0]);
  if (names.size() < 2) return fail(Fault::format, std::string(kExpected));
  return fail(Fault::format, "the header has no columns label and text: " +
                                 std::string(line.substr(0, 80)) + "; " + std::string(kExpected));
}

}  // namespace

std::string_view strip_bom(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

Result<DetectedFormat> detect_format(std::string_view bytes, LabelKind kind) {
  bytes = strip_bom(bytes);
  const std::string_view line = first_line(bytes);
  if (line.empty()) return fail(Fault::format, "the file is empty; " + std::string(kExpected));
  if (line.starts_with("__label__")) return DetectedFormat{Format::fast_text, {}};
  if (looks_like_squad(bytes)) return DetectedFormat{Format::squad, {}};
  if (looks_like_cbt(bytes)) return DetectedFormat{Format::cbt, {}};
  // A label may start with a brace, a JSON object never holds a raw tab before its first key.
  const std::size_t tab = line.find('\t');
  if (line.starts_with('{') && line.find('"') < tab) return DetectedFormat{Format::json_lines, {}};
  if (auto csv = detect_header(line, kind); csv || tab == std::string_view::npos) return csv;
  return DetectedFormat{Format::tsv, {}};
}

}  // namespace skim

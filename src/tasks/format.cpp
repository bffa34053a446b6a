#include "tasks/format.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tasks/cbt.h"
#include "tasks/squad.h"
#include "tasks/table.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

constexpr std::string_view kExpected =
    "expected lines of label<TAB>text, a CSV file whose header names the columns label and text, "
    "fastText lines (__label__x text), JSON lines with label and text, a SQuAD file, or questions "
    "of "
    "the Children's Book Test";

constexpr std::array kShapes = {TableShape{',', true}, TableShape{';', true},
                                TableShape{'\t', false}};

std::string_view first_line(std::string_view bytes) {
  TextLines lines(bytes);
  while (const auto line = lines.next()) {
    if (!is_blank(line->text)) return line->text;
  }
  return {};
}

Result<Recognised> recognise_header(std::string_view line) {
  for (const TableShape& shape : kShapes) {
    const auto header = split_header(line, shape);
    if (find_columns(header)) return Recognised{Format::table, shape};
  }
  const auto names = split_header(line, kShapes[0]);
  if (names.size() < 2) return fail(Fault::format, std::string(kExpected));
  return fail(Fault::format, "the header names no columns label and text: " +
                                 std::string(line.substr(0, 80)) + "; " + std::string(kExpected));
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

Result<Recognised> recognise(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  const std::string_view line = first_line(bytes);
  if (line.empty()) return fail(Fault::format, "there is no text in it; " + std::string(kExpected));
  if (line.starts_with("__label__")) return Recognised{Format::fast_text, {}};
  if (looks_like_squad(bytes)) return Recognised{Format::squad, {}};
  if (looks_like_cbt(bytes)) return Recognised{Format::cbt, {}};
  // A label may start with a brace, a JSON object never holds a raw tab before its first key.
  const std::size_t tab = line.find('\t');
  if (line.starts_with('{') && line.find('"') < tab) return Recognised{Format::json_lines, {}};
  if (auto table = recognise_header(line); table || tab == std::string_view::npos) return table;
  return Recognised{Format::tsv, {}};
}

}  // namespace skim

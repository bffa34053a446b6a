// Parses arbitrary bytes as CSV in one of three dialects, which the first byte selects.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/csv.h"
#include "tasks/text_lines.h"
#include "tests/support/fuzz.h"

namespace {

using skim::CsvDialect;
using skim::CsvReader;
using skim::CsvRecord;
using skim::fuzz::require;

constexpr std::array kDialects = {CsvDialect{',', true}, CsvDialect{';', true},
                                  CsvDialect{'\t', false}};

// Parses all records; false after an error.
bool parse(std::string_view bytes, CsvDialect dialect, std::vector<CsvRecord>& records) {
  CsvReader reader(bytes, dialect);
  while (true) {
    auto record = reader.next();
    if (!record) {
      require(record.error().message.starts_with("line "), "an error gives its line");
      return false;
    }
    if (!*record) return true;
    records.push_back(std::move(**record));
  }
}

std::string write_quoted(const std::vector<CsvRecord>& records, char separator) {
  std::string text;
  for (const CsvRecord& record : records) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (i > 0) text += separator;
      text += '"';
      for (const char c : record.fields[i]) text.append(c == '"' ? 2 : 1, c);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

void check_round_trip(const std::vector<CsvRecord>& records, CsvDialect dialect) {
  std::vector<CsvRecord> again;
  require(parse(write_quoted(records, dialect.separator), dialect, again),
          "quoted records are valid");
  require(again.size() == records.size(), "quoted records are as many");
  for (std::size_t i = 0; i < again.size(); ++i)
    require(again[i].fields == records[i].fields, "quoting keeps the fields");
}

// Without quotes a record is a line that is split at its separators.
void check_lines(std::string_view bytes, const std::vector<CsvRecord>& records, char separator) {
  skim::TextLines lines(bytes);
  std::size_t next = 0;
  while (const auto line = lines.next()) {
    if (line->text.empty()) continue;
    require(next < records.size() && records[next].line == line->number,
            "a record has the number of its line");
    require(records[next++].fields == skim::split(line->text, separator),
            "a record has the fields of its line");
  }
  require(next == records.size(), "every record is a line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const CsvDialect dialect = kDialects[data[0] % kDialects.size()];
  const std::string_view bytes = skim::fuzz::as_text(data + 1, size - 1);
  std::vector<CsvRecord> records;
  if (!parse(bytes, dialect, records)) return 0;
  for (std::size_t i = 1; i < records.size(); ++i)
    require(records[i].line > records[i - 1].line, "records start on increasing lines");
  if (dialect.quotes) check_round_trip(records, dialect);
  if (!dialect.quotes || bytes.find('"') == std::string_view::npos)
    check_lines(bytes, records, dialect.separator);
  if (!records.empty()) static_cast<void>(skim::find_columns(records[0].fields));
  return 0;
}

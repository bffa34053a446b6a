// CSV parser: records of fields under a header.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"
#include "tasks/format.h"

namespace skim {

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;  // first line of the record, from 1
};

// Iterates over the records. A quoted field may contain separators, newlines and doubled quotes; a
// quote inside an unquoted field is an ordinary character.
class CsvReader {
 public:
  CsvReader(std::string_view bytes, CsvDialect dialect) : bytes_(bytes), dialect_(dialect) {}

  // Returns the next non-blank record, or nothing at the end. The error gives the line.
  Result<std::optional<CsvRecord>> next();

 private:
  bool at_line_end() const;
  void skip_line_end();
  Result<std::string> field();
  Result<std::string> quoted_field();

  std::string_view bytes_;
  CsvDialect dialect_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// The indices of columns.
struct Columns {
  std::optional<std::size_t> label;  // unset with indicator columns
  std::size_t text = 0;
  std::optional<std::size_t> weight;
  std::vector<std::size_t> indicators;  // one column of 0 or 1 per label
};

// Finds the columns by name, ignoring case: text, label (or labels), weight. Multi-label files
// without a column of labels have indicator columns: all but text, id and weight.
std::optional<Columns> find_columns(std::span<const std::string> header,
                                    LabelKind kind = LabelKind::single);

// Splits a header line; empty when it is malformed.
std::vector<std::string> split_header(std::string_view line, CsvDialect dialect);

}  // namespace skim

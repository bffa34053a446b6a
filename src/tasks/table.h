// CSV and its relatives: records of fields under a header.
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

struct Record {
  std::vector<std::string> fields;
  std::size_t line = 0;  // where it starts, counted from 1
};

// Goes over the records of a table. A quoted field may hold separators, line ends and doubled
// quotes; a quote inside an unquoted field is an ordinary character.
class TableRecords {
 public:
  TableRecords(std::string_view bytes, TableShape shape) : bytes_(bytes), shape_(shape) {}

  // The next record that is not a blank line, or nothing at the end. The error names the line.
  Result<std::optional<Record>> next();

 private:
  bool at_line_end() const;
  void skip_line_end();
  Result<std::string> field();
  Result<std::string> quoted_field();

  std::string_view bytes_;
  TableShape shape_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

struct Columns {
  std::size_t label = 0;
  std::size_t text = 0;
};

// Where the columns named label and text stand, in any case of letters.
std::optional<Columns> find_columns(std::span<const std::string> header);

// The fields of a first line; nothing when it is no such table.
std::vector<std::string> split_header(std::string_view line, TableShape shape);

}  // namespace skim

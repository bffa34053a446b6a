#include "tasks/csv.h"

#include <algorithm>

#include "base/result_macros.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

std::string lower_and_trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::optional<std::size_t> find_column(std::span<const std::string> header, std::string_view name) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (lower_and_trimmed(header[i]) == name) return i;
  }
  return std::nullopt;
}

}  // namespace

bool CsvReader::at_line_end() const {
  if (at_ >= bytes_.size() || bytes_[at_] == '\n') return true;
  return bytes_[at_] == '\r' && (at_ + 1 == bytes_.size() || bytes_[at_ + 1] == '\n');
}

void CsvReader::skip_line_end() {
  at_ = std::min(bytes_.find('\n', at_), bytes_.size() - 1) + 1;
  ++line_;
}

Result<std::string> CsvReader::quoted_field() {
  const std::size_t opened = line_;
  std::string value;
  for (++at_; at_ < bytes_.size(); ++at_) {
    const char c = bytes_[at_];
    if (c == '"') {
      if (at_ + 1 == bytes_.size() || bytes_[at_ + 1] != '"') {
        ++at_;
        return value;
      }
      ++at_;
    }
    if (c == '\n') ++line_;
    value += c;
  }
  return fail(Fault::format, "line " + std::to_string(opened) + ": unterminated quoted field");
}

Result<std::string> CsvReader::field() {
  if (dialect_.quotes && at_ < bytes_.size() && bytes_[at_] == '"') {
    auto value = quoted_field();
    if (value && !at_line_end() && bytes_[at_] != dialect_.separator) {
      return fail(Fault::format, "line " + std::to_string(line_) +
                                     ": text after a closing quote; write quotes inside a field "
                                     "twice (\"\")");
    }
    return value;
  }
  const std::size_t begin = at_;
  while (!at_line_end() && bytes_[at_] != dialect_.separator) ++at_;
  return std::string(bytes_.substr(begin, at_ - begin));
}

Result<std::optional<CsvRecord>> CsvReader::next() {
  while (at_ < bytes_.size() && at_line_end()) skip_line_end();
  if (at_ >= bytes_.size()) return std::optional<CsvRecord>{};
  CsvRecord record{{}, line_};
  while (true) {
    SKIM_ASSIGN_OR_RETURN(auto value, field());
    record.fields.push_back(std::move(value));
    if (at_line_end()) break;
    ++at_;
  }
  if (at_ < bytes_.size()) skip_line_end();
  return std::optional<CsvRecord>(std::move(record));
}

std::optional<Columns> find_columns(std::span<const std::string> header, LabelKind kind) {
  const auto text = find_column(header, "text");
  if (!text) return std::nullopt;
  Columns columns{find_column(header, "label"), *text, find_column(header, "weight"), {}};
  if (!columns.label) columns.label = find_column(header, "labels");
  if (columns.label) return columns;
  if (kind != LabelKind::multiple) return std::nullopt;
  const auto id = find_column(header, "id");
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i != *text && columns.weight != i && id != i) columns.indicators.push_back(i);
  }
  if (columns.indicators.empty()) return std::nullopt;
  return columns;
}

std::vector<std::string> split_header(std::string_view line, CsvDialect dialect) {
  auto record = CsvReader(line, dialect).next();
  if (!record || !*record) return {};
  return std::move((*record)->fields);
}

}  // namespace skim

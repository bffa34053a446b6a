#include "tasks/load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "tasks/cbt.h"
#include "tasks/csv.h"
#include "tasks/format.h"
#include "tasks/json_example.h"
#include "tasks/squad.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

// Every parser appends to `examples`; its error gives line and reason, and parse_examples prepends
// the file name.
using Examples = std::vector<Example>;

constexpr std::string_view kFastTextPrefix = "__label__";

// A list of labels in a CSV file may also be separated by semicolons.
constexpr std::string_view kTsvSeparators = ",", kCsvSeparators = ",;";

// Sets what `kind` asks for from the label as the file spells it.
Result<void> interpret_label(LabelKind kind, std::string_view separators, Example& example) {
  if (kind == LabelKind::multiple) {
    auto labels = split_labels(example.label, separators);
    if (!labels) return line_error(example.line, labels.error().message);
    example.labels = std::move(*labels);
    return {};
  }
  if (example.label.empty()) return line_error(example.line, "the label is empty");
  if (kind == LabelKind::single) return {};
  const auto number = parse_number(example.label);
  if (!number)
    return line_error(example.line,
                      "the label '" + example.label.substr(0, 80) + "' is not a finite number");
  example.value = *number;
  return {};
}

Result<Example> parse_tsv_line(LabelKind kind, const TextLine& line) {
  const std::size_t tab = line.text.find('\t');
  if (tab == std::string_view::npos) {
    return line_error(line.number, "no tab between label and text");
  }
  Example example{{std::string(line.text.substr(tab + 1)), {}, {}},
                  std::string(line.text.substr(0, tab)),
                  line.number};
  SKIM_RETURN_IF_ERROR(interpret_label(kind, kTsvSeparators, example));
  return example;
}

// Removes the first label and the blanks after it from `text`.
std::string_view take_fast_text_label(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view label = text.substr(kFastTextPrefix.size(), end - kFastTextPrefix.size());
  text.remove_prefix(end);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return label;
}

Result<Example> parse_fast_text_line(LabelKind kind, const TextLine& line) {
  std::string_view text = line.text;
  Example example{{}, {}, line.number};
  while (text.starts_with(kFastTextPrefix)) {
    const std::string label(take_fast_text_label(text));
    if (label.empty()) return line_error(line.number, "the label is empty");
    if (std::find(example.labels.begin(), example.labels.end(), label) != example.labels.end())
      continue;
    example.label += (example.label.empty() ? "" : ",") + label;
    example.labels.push_back(label);
  }
  example.query.text = text;
  if (kind == LabelKind::multiple) return example;
  if (example.labels.empty()) return line_error(line.number, "does not start with __label__");
  if (example.labels.size() > 1)
    return line_error(line.number,
                      "has more than one label; expected exactly one, or train with --task "
                      "multilabel");
  example.labels.clear();
  SKIM_RETURN_IF_ERROR(interpret_label(kind, {}, example));
  return example;
}

Result<Example> parse_json_line(LabelKind kind, JsonParser& parser, const TextLine& line) {
  SKIM_ASSIGN_OR_RETURN(auto value, parser.parse(line.text, "line " + std::to_string(line.number)));
  Example example;
  example.line = line.number;
  SKIM_RETURN_IF_ERROR(read_json_example(kind, value, example));
  return example;
}

template <class ParseLine>
Result<void> parse_lines(std::string_view bytes, ParseLine parse_line, Examples& examples) {
  TextLines lines(bytes);
  while (const auto line = lines.next()) {
    if (is_blank(line->text)) continue;
    SKIM_ASSIGN_OR_RETURN(auto example, parse_line(*line));
    examples.push_back(std::move(example));
  }
  return {};
}

// Sets the labels whose indicator columns hold 1.
Result<void> read_indicators(const Columns& columns, const std::vector<std::string>& header,
                             const std::vector<std::string>& fields, Example& example) {
  for (const std::size_t column : columns.indicators) {
    const auto value = parse_number(fields[column]);
    if (!value || (*value != 0 && *value != 1))
      return line_error(example.line, "column '" + header[column] + "' holds '" +
                                          fields[column].substr(0, 80) +
                                          "', expected 0 or 1; name the column of labels 'labels'");
    if (*value != 1) continue;
    example.labels.push_back(header[column]);
    example.label += (example.label.empty() ? "" : ",") + header[column];
  }
  return {};
}

Result<Example> parse_record(LabelKind kind, const Columns& columns,
                             const std::vector<std::string>& header, CsvRecord record) {
  auto& [fields, line] = record;
  Example example{{std::move(fields[columns.text]), {}, {}}, {}, line};
  if (columns.weight) SKIM_RETURN_IF_ERROR(read_weight(fields[*columns.weight], example));
  if (columns.label) {
    example.label = std::move(fields[*columns.label]);
    SKIM_RETURN_IF_ERROR(interpret_label(kind, kCsvSeparators, example));
  } else {
    SKIM_RETURN_IF_ERROR(read_indicators(columns, header, fields, example));
  }
  return example;
}

Result<void> parse_csv(std::string_view bytes, CsvDialect dialect, LabelKind kind,
                       Examples& examples) {
  CsvReader reader(bytes, dialect);
  std::optional<Columns> columns;
  std::vector<std::string> header;
  while (true) {
    SKIM_ASSIGN_OR_RETURN(auto record, reader.next());
    if (!record) return {};
    if (!columns) {
      header = std::move(record->fields);
      columns = find_columns(header, kind);
      if (!columns) return line_error(record->line, "the header has no columns label and text");
      continue;
    }
    if (record->fields.size() != header.size()) {
      return line_error(record->line, "has " + std::to_string(record->fields.size()) +
                                          " fields, expected " + std::to_string(header.size()));
    }
    SKIM_ASSIGN_OR_RETURN(auto example, parse_record(kind, *columns, header, std::move(*record)));
    examples.push_back(std::move(example));
  }
}

Result<void> parse_into(std::string_view bytes, const DetectedFormat& detected, LabelKind kind,
                        Dataset& data) {
  Examples& examples = data.examples;
  JsonParser parser;
  switch (detected.format) {
    case Format::tsv:
      return parse_lines(
          bytes, [&](const TextLine& line) { return parse_tsv_line(kind, line); }, examples);
    case Format::fast_text:
      return parse_lines(
          bytes, [&](const TextLine& line) { return parse_fast_text_line(kind, line); }, examples);
    case Format::json_lines:
      return parse_lines(
          bytes, [&](const TextLine& line) { return parse_json_line(kind, parser, line); },
          examples);
    case Format::csv:
      return parse_csv(bytes, detected.csv, kind, examples);
    case Format::squad:
      return parse_squad(bytes, data);
    case Format::cbt:
      return parse_cbt(bytes, examples);
  }
  return {};
}

constexpr const char* kStandardInput = "standard input";

// Reads the descriptor, because opening /dev/stdin would restart a redirected file from its top.
Result<std::string> read_standard_input() {
  std::string text;
  std::array<char, 65536> block;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(block.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return fail(Fault::io, std::string(kStandardInput) + ": " + std::strerror(errno));
    }
  }
}

}  // namespace

Result<Dataset> parse_examples(std::string_view bytes, std::string name, LabelKind kind) {
  const auto in_file = [&name](const Error& error) {
    return fail(error.fault, name + ": " + error.message);
  };
  const auto detected = detect_format(bytes, kind);
  if (!detected) return in_file(detected.error());
  bytes = strip_bom(bytes);
  Dataset data;
  if (auto parsed = parse_into(bytes, *detected, kind, data); !parsed) {
    return in_file(parsed.error());
  }
  if (data.examples.empty()) return in_file({Fault::format, "has a header but no examples"});
  data.name = std::move(name);
  return data;
}

Result<Dataset> load_examples(const std::filesystem::path& path, LabelKind kind) {
  const bool standard_input = path == "-";
  SKIM_ASSIGN_OR_RETURN(const auto bytes, standard_input ? read_standard_input() : read_text(path));
  return parse_examples(bytes, standard_input ? kStandardInput : path.string(), kind);
}

}  // namespace skim

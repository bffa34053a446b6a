#include "tasks/load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "tasks/cbt.h"
#include "tasks/csv.h"
#include "tasks/format.h"
#include "tasks/squad.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

// Every parser appends to `examples`; its error gives line and reason, and parse_examples prepends
// the file name.
using Examples = std::vector<Example>;

Result<Example> parse_tsv_line(const TextLine& line) {
  const std::size_t tab = line.text.find('\t');
  if (tab == std::string_view::npos) {
    return line_error(line.number, "no tab between label and text");
  }
  return Example{{std::string(line.text.substr(tab + 1)), {}, {}},
                 std::string(line.text.substr(0, tab)),
                 line.number};
}

Result<Example> parse_fast_text_line(const TextLine& line) {
  constexpr std::string_view kPrefix = "__label__";
  if (!line.text.starts_with(kPrefix)) {
    return line_error(line.number, "does not start with __label__");
  }
  const std::size_t end = std::min(line.text.find_first_of(" \t"), line.text.size());
  std::string_view text = line.text.substr(end);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with(kPrefix)) {
    return line_error(line.number, "has more than one label; expected exactly one");
  }
  return Example{{std::string(text), {}, {}},
                 std::string(line.text.substr(kPrefix.size(), end - kPrefix.size())),
                 line.number};
}

std::optional<std::string> parse_label(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return std::nullopt;
}

Result<Example> parse_json_line(JsonParser& parser, const TextLine& line) {
  SKIM_ASSIGN_OR_RETURN(auto value, parser.parse(line.text, "line " + std::to_string(line.number)));
  if (!value.is_object()) return line_error(line.number, "is not a JSON object");
  const auto text = value.find("text");
  if (text == value.end() || !text->is_string()) {
    return line_error(line.number, "has no string \"text\"");
  }
  const auto found = value.find("label");
  const auto label = found == value.end() ? std::nullopt : parse_label(*found);
  if (!label) return line_error(line.number, "has no \"label\" that is a string or an integer");
  return Example{{text->get<std::string>(), {}, {}}, *label, line.number};
}

template <class ParseLine>
Result<void> parse_lines(std::string_view bytes, ParseLine parse_line, Examples& examples) {
  TextLines lines(bytes);
  while (const auto line = lines.next()) {
    if (is_blank(line->text)) continue;
    SKIM_ASSIGN_OR_RETURN(auto example, parse_line(*line));
    if (example.label.empty()) return line_error(line->number, "the label is empty");
    examples.push_back(std::move(example));
  }
  return {};
}

Result<void> parse_json_lines(std::string_view bytes, Examples& examples) {
  JsonParser parser;
  const auto parse_line = [&](const TextLine& line) { return parse_json_line(parser, line); };
  return parse_lines(bytes, parse_line, examples);
}

Result<void> parse_csv(std::string_view bytes, CsvDialect dialect, Examples& examples) {
  CsvReader reader(bytes, dialect);
  std::optional<Columns> columns;
  std::size_t width = 0;
  while (true) {
    SKIM_ASSIGN_OR_RETURN(auto record, reader.next());
    if (!record) return {};
    auto& [fields, line] = *record;
    if (!columns) {
      columns = find_columns(fields);
      width = fields.size();
      if (!columns) return line_error(line, "the header has no columns label and text");
      continue;
    }
    if (fields.size() != width) {
      return line_error(line, "has " + std::to_string(fields.size()) + " fields, expected " +
                                  std::to_string(width));
    }
    if (fields[columns->label].empty()) return line_error(line, "the label is empty");
    examples.push_back(Example{
        {std::move(fields[columns->text]), {}, {}}, std::move(fields[columns->label]), line});
  }
}

Result<void> parse_into(std::string_view bytes, const DetectedFormat& detected, Dataset& data) {
  Examples& examples = data.examples;
  switch (detected.format) {
    case Format::tsv:
      return parse_lines(bytes, parse_tsv_line, examples);
    case Format::fast_text:
      return parse_lines(bytes, parse_fast_text_line, examples);
    case Format::json_lines:
      return parse_json_lines(bytes, examples);
    case Format::csv:
      return parse_csv(bytes, detected.csv, examples);
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

Result<Dataset> parse_examples(std::string_view bytes, std::string name) {
  const auto in_file = [&name](const Error& error) {
    return fail(error.fault, name + ": " + error.message);
  };
  const auto detected = detect_format(bytes);
  if (!detected) return in_file(detected.error());
  bytes = strip_bom(bytes);
  Dataset data;
  if (auto parsed = parse_into(bytes, *detected, data); !parsed) {
    return in_file(parsed.error());
  }
  if (data.examples.empty()) return in_file({Fault::format, "has a header but no examples"});
  data.name = std::move(name);
  return data;
}

Result<Dataset> load_examples(const std::filesystem::path& path) {
  const bool standard_input = path == "-";
  SKIM_ASSIGN_OR_RETURN(const auto bytes, standard_input ? read_standard_input() : read_text(path));
  return parse_examples(bytes, standard_input ? kStandardInput : path.string());
}

}  // namespace skim

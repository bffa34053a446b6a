// Detects and parses arbitrary bytes as labelled texts: TSV, CSV, fastText and JSON lines. Labels
// and texts must be those of their lines, and must survive being written as JSON lines.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "tasks/format.h"
#include "tasks/load.h"
#include "tasks/text_lines.h"
#include "tests/support/fuzz.h"

namespace {

using skim::Dataset;
using skim::Example;
using skim::Format;
using skim::Json;
using skim::fuzz::require;

void check_json_line(std::string_view line, const Example& example) {
  const Json object = Json::parse(line, nullptr, false);
  require(object.is_object() && object["text"] == example.query.text,
          "the text is that of its line");
  if (!example.labelled) return;
  const Json& label = object["label"];
  require(label.is_string() ? label == example.label : skim::to_text(label) == example.label,
          "the label is that of its line");
}

void check_line(std::string_view line, const Example& example, Format format) {
  const std::string& text = example.query.text;
  if (format == Format::tsv)
    require(line == example.label + "\t" + text, "label and text make up the line");
  if (format == Format::fast_text)
    require(line.starts_with("__label__" + example.label) && line.ends_with(text),
            "label and text begin and end the line");
  if (format == Format::json_lines) check_json_line(line, example);
}

void check_lines(std::string_view bytes, const Dataset& data, Format format) {
  skim::TextLines lines(bytes);
  for (const Example& example : data.examples) {
    auto line = lines.next();
    while (line && line->number < example.line) line = lines.next();
    require(line && line->number == example.line, "examples have increasing lines");
    check_line(line->text, example, format);
  }
}

// Writes labels and texts as JSON lines; false when they are not valid UTF-8 or have no label.
bool write(const Dataset& data, std::string& lines) {
  for (const Example& example : data.examples) {
    if (!example.labelled || !skim::is_utf8(example.label) || !skim::is_utf8(example.query.text))
      return false;
    lines += skim::to_text({{"label", example.label}, {"text", example.query.text}}) + "\n";
  }
  return true;
}

void check_round_trip(const Dataset& data) {
  std::string lines;
  if (!write(data, lines)) return;
  const auto again = skim::parse_examples(lines, "again");
  require(again && again->examples.size() == data.examples.size(), "written examples are as many");
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    require(again->examples[i].label == data.examples[i].label &&
                again->examples[i].query.text == data.examples[i].query.text,
            "written examples parse to themselves");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = skim::fuzz::as_text(data, size);
  const auto detected = skim::detect_format(bytes);
  const auto parsed = skim::parse_examples(bytes, "fuzz");
  if (!parsed) {
    require(parsed.error().message.starts_with("fuzz: "), "an error names the file");
    return 0;
  }
  require(detected.has_value(), "a parsed file has a format");
  // These have fuzzers of their own.
  if (detected->format == Format::squad || detected->format == Format::cbt) return 0;
  require(!parsed->examples.empty(), "a parsed file has examples");
  for (const Example& example : parsed->examples)
    require(!example.label.empty() || !example.labelled, "labels are not empty");
  check_lines(skim::strip_bom(bytes), *parsed, detected->format);
  check_round_trip(*parsed);
  return 0;
}

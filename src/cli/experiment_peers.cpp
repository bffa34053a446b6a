#include "cli/experiment_peers.h"

#include "base/file.h"
#include "base/first_error.h"
#include "base/json.h"

namespace skim::cli {
namespace {

// One row, or an error that says what is missing in it.
Result<std::vector<std::string>> cells_of(const Json& row, const std::string& where) {
  std::string name;
  double test = 0, bytes = 0, median = 0, low = 0, high = 0;
  const Json* took = nullptr;
  FirstError fields;
  fields.take(name, string_at(row, "name", where));
  fields.take(test, number_at(row, "test_accuracy", where));
  fields.take(bytes, number_at(row, "model_bytes", where));
  fields.take(took, object_at(row, "microseconds", where));
  if (took != nullptr) {
    fields.take(median, number_at(*took, "median", where));
    fields.take(low, number_at(*took, "lower_quartile", where));
    fields.take(high, number_at(*took, "upper_quartile", where));
  }
  return fields.finish(std::vector<std::string>{
      name, format_number(100 * test, 2), format_number(median, 1),
      format_number(low, 1) + " to " + format_number(high, 1), format_number(bytes / 1e6, 1)});
}

// A report made outside of a repository has no commit.
std::string text_or_unknown(const Json& report, const char* key) {
  return string_at(report, key, "").value_or("unknown");
}

Result<Section> section_of(const std::string& set, const Json& found, const std::string& where) {
  Section section;
  section.heading = "What users would pick instead: " + set;
  section.table.header = {"", "accuracy %", "us a text", "quartiles", "model, MB"};
  const auto run = object_at(found, "run", where);
  if (!run) return tl::make_unexpected(run.error());
  section.paragraphs = {"Commit " + text_or_unknown(**run, "commit") + ", " +
                        text_or_unknown(**run, "machine") + "."};
  const auto rows = array_at(found, "rows", where);
  if (!rows) return tl::make_unexpected(rows.error());
  for (const Json& row : **rows) {
    auto cells = cells_of(row, where + ".rows");
    if (!cells) return tl::make_unexpected(cells.error());
    section.table.rows.push_back(std::move(*cells));
  }
  return section;
}

}  // namespace

Result<std::vector<Section>> peer_sections(const std::filesystem::path& report) {
  std::vector<Section> sections;
  std::error_code ignored;
  if (!std::filesystem::exists(report, ignored)) return sections;
  const auto text = read_text(report);
  if (!text) return tl::make_unexpected(text.error());
  const auto json = parse_json(*text, report.string());
  if (!json) return tl::make_unexpected(json.error());
  const std::string where = report.string() + ": report";
  const auto sets = object_at(*json, "sets", where);
  if (!sets) return tl::make_unexpected(sets.error());
  for (const auto& [set, found] : (*sets)->items()) {
    auto section = section_of(set, found, where + ".sets." + set);
    if (!section) return tl::make_unexpected(section.error());
    sections.push_back(std::move(*section));
  }
  if (!sections.empty()) {
    std::vector<std::string>& first = sections.front().paragraphs;
    first.insert(first.begin(),
                 "Trained on the same files, settings chosen on dev, from text to label on one "
                 "thread of one core, those of a set in turn in one run: `bench/texts/run --data "
                 "DIR --work DIR --json experiments/results/peers/texts.json`; bench/README.md "
                 "says how.");
  }
  return sections;
}

}  // namespace skim::cli

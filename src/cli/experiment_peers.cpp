#include "cli/experiment_peers.h"

#include "base/file.h"
#include "base/json.h"

namespace skim::cli {
namespace {

// One row, or an error that says what is missing in it.
Result<std::vector<std::string>> cells_of(const Json& row, const std::string& where) {
  const auto name = string_at(row, "name", where);
  const auto test = number_at(row, "test_accuracy", where);
  const auto bytes = number_at(row, "model_bytes", where);
  const auto took = object_at(row, "microseconds", where);
  if (!name) return tl::make_unexpected(name.error());
  if (!test) return tl::make_unexpected(test.error());
  if (!bytes) return tl::make_unexpected(bytes.error());
  if (!took) return tl::make_unexpected(took.error());
  const auto median = number_at(**took, "median", where);
  const auto low = number_at(**took, "lower_quartile", where);
  const auto high = number_at(**took, "upper_quartile", where);
  if (!median) return tl::make_unexpected(median.error());
  if (!low) return tl::make_unexpected(low.error());
  if (!high) return tl::make_unexpected(high.error());
  return std::vector<std::string>{*name, number_text(100 * *test, 2), number_text(*median, 1),
                                  number_text(*low, 1) + " to " + number_text(*high, 1),
                                  number_text(*bytes / 1e6, 1)};
}

Result<Section> section_of(const std::string& set, const Json& found, const std::string& where) {
  Section section;
  section.heading = "What users would pick instead: " + set;
  section.table.header = {"", "accuracy %", "us a text", "quartiles", "model, MB"};
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
  if (!sections.empty())
    sections.front().paragraphs = {
        "Trained on the same files, settings chosen on dev, from text to label on one thread of "
        "one core, in turn in one "
        "run: `bench/texts/run --data DIR --work DIR --json experiments/results/peers/texts.json`; "
        "bench/README.md says "
        "how. Commit " +
        json->value("commit", "unknown") + ", " + json->value("machine", "unknown") + "."};
  return sections;
}

}  // namespace skim::cli

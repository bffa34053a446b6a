#include "cli/experiment_report.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "cli/document.h"
#include "cli/experiment_figures.h"
#include "cli/experiment_passages.h"
#include "cli/experiment_peers.h"
#include "cli/experiment_reviews.h"
#include "cli/experiment_summary.h"
#include "cli/gnuplot.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

std::string times_text(std::optional<Spread> factor) {
  return factor ? format_number(factor->mean, 2) + "x" : "";
}

std::string number_or_nothing(std::optional<Spread> value, int decimals) {
  return value ? format_number(value->mean, decimals) : "";
}

// "91.2 (90.9 to 91.4)"
std::string accuracy_text(std::optional<Spread> share) {
  if (!share) return "";
  std::string text = format_number(100 * share->mean, 2);
  if (share->high > share->low)
    text += " (" + format_number(100 * share->low, 2) + " to " +
            format_number(100 * share->high, 2) + ")";
  return text;
}

std::string percent_or_nothing(std::optional<double> share, int decimals) {
  return share ? format_number(100 * *share, decimals) : "";
}

std::string published_times(std::optional<double> factor) {
  return factor ? format_number(*factor, 1) + "x" : "";
}

std::vector<std::string> cells_of(const RowSummary& summary) {
  const Published& paper = summary.row.paper;
  const auto rate = summary.at("test/skim_rate");
  return {"`" + summary.row.name + "`",
          summary.row.title,
          std::to_string(summary.runs.size()),
          accuracy_text(summary.at("test/accuracy")),
          rate ? format_number(100 * rate->mean, 1) : "",
          times_text(summary.at("test/flop_reduction/paper")),
          times_text(summary.at("test/flop_reduction/counted")),
          times_text(summary.at("test/flop_reduction/executed")),
          times_text(summary.at("timing/speedup")),
          times_text(summary.at("timing/reading_speedup")),
          number_or_nothing(summary.at("timing/microseconds/per_word"), 3),
          number_or_nothing(summary.at("timing/microseconds/per_text_p50"), 1),
          percent_or_nothing(paper.accuracy, 1),
          percent_or_nothing(paper.skim_rate, 1),
          published_times(paper.flop_reduction),
          published_times(paper.speedup)};
}

// A column behind that of F1.
void add_exact_matches(const std::vector<const RowSummary*>& rows, Table& table) {
  constexpr std::ptrdiff_t kPlace = 4;
  table.header.insert(table.header.begin() + kPlace, "exact match %");
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows[i].insert(table.rows[i].begin() + kPlace,
                         accuracy_text(rows[i]->at("test/exact_match")));
}

// The rows of one group on one set.
Section table_of(const DataSet& set, const std::string& group, const std::vector<RowSummary>& all) {
  Section section;
  section.heading = set.title;
  std::vector<const RowSummary*> rows;
  bool pieces = false;  // whether answers are pieces of texts
  for (const RowSummary& summary : all) {
    if (summary.row.set != set.name || summary.row.group != group) continue;
    rows.push_back(&summary);
    section.table.rows.push_back(cells_of(summary));
    pieces = pieces || summary.at("test/f1");
  }
  const std::string measure = pieces ? "F1" : "accuracy";
  section.table.header = {"row",
                          "method",
                          "seeds",
                          measure + " %",
                          "skimmed %",
                          "Flop-r",
                          "counted",
                          "executed",
                          "speed-up",
                          "of reading",
                          "us a word",
                          "us a text",
                          "paper: " + measure,
                          "skimmed",
                          "Flop-r",
                          "speed-up"};
  if (pieces) add_exact_matches(rows, section.table);
  return section;
}

// The chief table of each set, and one for the effect of pretraining where that was looked at.
std::vector<Section> tables_of(const std::vector<DataSet>& sets,
                               const std::vector<RowSummary>& all) {
  std::vector<Section> sections;
  for (const DataSet& set : sets) {
    Section chief = table_of(set, "table", all);
    if (!set.note.empty()) chief.paragraphs.push_back(set.note);
    Section pretraining = table_of(set, "pretraining", all);
    pretraining.heading += ": what pretraining does";
    pretraining.paragraphs = {
        "The same skimming reader, begun from nothing, begun by reading everything for a while, "
        "and begun with the plain reader's model."};
    for (Section* section : {&chief, &pretraining})
      if (!section->table.rows.empty()) sections.push_back(std::move(*section));
  }
  return sections;
}

// What less work costs, from one trained model.
Section dial_of(const std::vector<RowSummary>& all) {
  Section section;
  section.heading = "The dial";
  section.paragraphs = {
      "One trained model at several budgets on the test texts: `--budget B` takes the threshold "
      "that spent the share B "
      "of the plain reader's work on dev. Work is the counted kind."};
  section.table.header = {
      "row", "seed", "budget", "work on test", "accuracy %", "against its own choice", "skimmed %"};
  for (const RowSummary& summary : all) {
    for (const Json& run : summary.runs) {
      if (!run.contains("budgets") || summary.row.group == "tried") continue;
      for (const Json& at : run["budgets"]) {
        const double accuracy = at["accuracy"].get<double>();
        const double own = run["test"]["accuracy"].get<double>();
        section.table.rows.push_back(
            {"`" + summary.row.name + "`", std::to_string(run["seed"].get<int>()),
             format_number(at["budget"].get<double>(), 2),
             format_number(at["work"].get<double>(), 3), format_number(100 * accuracy, 2),
             format_number(100 * (accuracy - own), 2),
             format_number(100 * at["skim_rate"].get<double>(), 1)});
      }
    }
  }
  return section;
}

Section reruns(const std::vector<RowSummary>& all) {
  Section section;
  section.heading = "Every run";
  section.paragraphs = {
      "`skim experiment run ROW --data DIR` makes a row again; same seed, same data and same "
      "machine give the same "
      "model, byte for byte. Options are those of `skim train`."};
  section.table.header = {"row",   "seed",    "dev %",  "test %", "skimmed %",
                          "steps", "minutes", "commit", "date"};
  for (const RowSummary& summary : all) {
    for (const Json& run : summary.runs) {
      section.table.rows.push_back(
          {"`" + summary.row.name + "`", std::to_string(run["seed"].get<int>()),
           format_number(100 * run["dev"]["accuracy"].get<double>(), 2),
           format_number(100 * run["test"]["accuracy"].get<double>(), 2),
           format_number(100 * run["test"]["skim_rate"].get<double>(), 1),
           std::to_string(run["training"]["steps"].get<int>()),
           format_number(run["training"]["seconds"].get<double>() / 60, 1),
           run["commit"].get<std::string>(), run["date"].get<std::string>()});
    }
  }
  return section;
}

// Which model a run begins with (seed_to_start_with), in words.
std::string start_text(const std::vector<RowSummary>& all, const Row& row,
                       const std::string& start) {
  const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const RowSummary& other) {
    return other.row.name == start && other.row.set != row.set;
  });
  return elsewhere ? "the first seed's model" : "the same seed's model";
}

Section options_of(const std::vector<RowSummary>& all) {
  Section section;
  section.heading = "Options of each row";
  section.table.header = {"row", "`skim train` with"};
  for (const RowSummary& summary : all) {
    std::string options;
    for (const std::string& word : option_arguments(summary.row.options))
      options += (options.empty() ? "" : " ") + word;
    std::string built_on;
    for (const char* option : {"start-from", "teacher"}) {
      if (!summary.row.options.contains(option)) continue;
      const auto name = summary.row.options[option].get<std::string>();
      const std::string models =
          std::string_view(option) == "teacher" ? "the models" : start_text(all, summary.row, name);
      built_on += std::string(" `--") + option + "` " + models + " of `" + name + "`";
    }
    section.table.rows.push_back({"`" + summary.row.name + "`", "`" + options + "`" + built_on});
  }
  return section;
}

Result<Section> figure_section(const std::vector<RowSummary>& all, const std::string& results,
                               bool draw) {
  Section section;
  section.heading = "Figures";
  const auto figures = experiment_figures(all, results);
  if (!figures) return tl::make_unexpected(figures.error());
  for (const NamedChart& figure : *figures) {
    Drawing drawing{figure.name + ".svg", figure.chart.title, ""};
    if (draw) {
      auto svg = gnuplot_svg(figure.chart);
      if (!svg) return tl::make_unexpected(svg.error());
      drawing.svg = std::move(*svg);
    }
    section.drawings.push_back(std::move(drawing));
  }
  return section;
}

// The machine and the time of the runs.
std::string where_from(const std::vector<RowSummary>& all) {
  std::vector<std::string> machines;
  for (const RowSummary& summary : all) {
    for (const Json& run : summary.runs) {
      const Json& machine = run["machine"];
      std::string text =
          machine.value("cpu", "") + ", " + std::to_string(machine.value("cores", 0)) + " cores";
      if (const std::string simd = machine.value("simd", ""); !simd.empty()) text += ", " + simd;
      if (std::find(machines.begin(), machines.end(), text) == machines.end())
        machines.push_back(text);
    }
  }
  std::string text;
  for (const std::string& machine : machines) text += (text.empty() ? "" : "; ") + machine;
  return text;
}

// How far the queue is, and on what machine.
std::string state_of(const std::vector<Row>& rows, const std::vector<RowSummary>& found) {
  std::size_t wanted = 0, run = 0;
  for (const Row& row : rows) wanted += row.seeds.size();
  for (const RowSummary& summary : found) run += summary.runs.size();
  std::string text = run == wanted
                         ? "All " + std::to_string(wanted) + " runs are done"
                         : std::to_string(run) + " of " + std::to_string(wanted) +
                               " runs are done; what is missing here has not been run yet";
  if (run > 0) text += ". Machine: " + where_from(found);
  return text + ".";
}

Result<Document> document_of(const Experiments& all, const std::vector<Row>& rows,
                             const ReportRequest& request) {
  const std::string results = (fs::path(request.experiments) / "results").string();
  const auto found = summaries(rows, results);
  if (!found) return tl::make_unexpected(found.error());
  Document document;
  document.title = "Results";
  document.paragraphs = {
      "Written by `skim experiment report --markdown docs/results.md --figures docs/figures` from "
      "the reports in "
      "`experiments/results`. Accuracy is of the test texts, mean over the seeds with the lowest "
      "and highest; models "
      "are chosen on dev alone. Flop-r, counted and executed are the three rules of docs/cost.md; "
      "speed-up is measured "
      "from text to answer on one thread against the plain reader of the same size in this engine, "
      "the column beside it without "
      "finding the words. Times are medians a text.",
      state_of(rows, *found)};
  document.sections = tables_of(all.sets, *found);
  if (Section dial = dial_of(*found); !dial.table.rows.empty())
    document.sections.push_back(std::move(dial));
  const bool draw = !request.html.empty() || !request.figures.empty();
  auto figures = figure_section(*found, results, draw);
  if (!figures) return tl::make_unexpected(figures.error());
  if (!figures->drawings.empty()) document.sections.push_back(std::move(*figures));
  auto peers = peer_sections(fs::path(results) / "peers" / "texts.json");
  if (!peers) return tl::make_unexpected(peers.error());
  for (Section& section : *peers) document.sections.push_back(std::move(section));
  if (request.model) {
    auto reviews =
        marked_reviews(*request.model, fs::path(request.experiments) / "reviews" / "reviews.tsv");
    if (!reviews) return tl::make_unexpected(reviews.error());
    document.sections.push_back(std::move(*reviews));
  }
  auto passages = drawn_passages(fs::path(results) / "passages");
  if (!passages) return tl::make_unexpected(passages.error());
  if (*passages) document.sections.push_back(std::move(**passages));
  document.sections.push_back(options_of(*found));
  document.sections.push_back(reruns(*found));
  return document;
}

Result<void> write_figures(const Document& document, const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  for (const Section& section : document.sections) {
    for (const Drawing& drawing : section.drawings) {
      if (const auto written = write_atomically(folder / drawing.file, drawing.svg); !written)
        return written;
    }
  }
  return {};
}

}  // namespace

Result<std::string> experiment_report(const Experiments& all, const std::vector<Row>& rows,
                                      const ReportRequest& request) {
  const auto document = document_of(all, rows, request);
  if (!document) return tl::make_unexpected(document.error());
  const std::string markdown = markdown_text(*document, "figures");
  if (!request.figures.empty()) {
    if (const auto written = write_figures(*document, request.figures); !written)
      return tl::make_unexpected(written.error());
  }
  if (!request.markdown.empty()) {
    if (const auto written = write_atomically(request.markdown, markdown); !written)
      return tl::make_unexpected(written.error());
  }
  if (!request.html.empty()) {
    if (const auto written = write_atomically(request.html, html_text(*document)); !written)
      return tl::make_unexpected(written.error());
  }
  return markdown;
}

}  // namespace skim::cli

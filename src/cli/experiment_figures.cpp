#include "cli/experiment_figures.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "base/file.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

double option_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : 0;
}

// The options in the order of their names: the order in which they were written says nothing.
std::string sorted_text(const Json& options) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : options.items()) sorted[name] = to_text(value);
  std::string text;
  for (const auto& [name, value] : sorted) text += " " + name + "=" + value;
  return text;
}

// Rows of one set that differ in this option alone, in rising order of it: families of at least
// three.
using Family = std::vector<const RowSummary*>;
std::vector<Family> families(const std::vector<RowSummary>& all, const std::string& option) {
  std::map<std::string, Family> by_rest;
  for (const RowSummary& summary : all) {
    if (!summary.row.options.contains(option)) continue;
    Json rest = summary.row.options;
    rest.erase(option);
    by_rest[summary.row.set + sorted_text(rest)].push_back(&summary);
  }
  std::vector<Family> found;
  for (auto& [rest, family] : by_rest) {
    if (family.size() < 3) continue;
    std::sort(family.begin(), family.end(), [&](const RowSummary* a, const RowSummary* b) {
      return option_number(a->row.options[option]) < option_number(b->row.options[option]);
    });
    found.push_back(std::move(family));
  }
  return found;
}

struct Effect {
  std::string option, label, file;
  std::string path, measure;  // of what
  Scale scale = Scale::linear;
};

std::optional<NamedChart> effect_chart(const std::vector<RowSummary>& all, const Effect& effect) {
  Chart chart;
  chart.title = effect.measure + " and " + effect.label;
  chart.x = {effect.label, Unit::plain, effect.scale};
  chart.y = {effect.measure, Unit::percent, Scale::linear};
  for (const Family& family : families(all, effect.option)) {
    ChartSeries series{
        family.front()->row.set, {}, Line::solid, static_cast<int>(chart.series.size())};
    for (const RowSummary* summary : family) {
      const double x = option_number(summary->row.options[effect.option]);
      const auto y = summary->at(effect.path);
      if (y && (x > 0 || effect.scale == Scale::linear)) series.points.push_back({x, y->mean, {}});
    }
    chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return std::nullopt;
  return NamedChart{effect.file, std::move(chart)};
}

// How much each layer and direction skims, by gamma.
std::vector<NamedChart> pass_charts(const std::vector<RowSummary>& all) {
  std::vector<NamedChart> charts;
  for (const Family& family : families(all, "gamma")) {
    Chart chart;
    chart.title = "Words skimmed by each layer and direction: " + family.front()->row.set;
    chart.x = {"gamma, the weight of the skim term", Unit::plain, Scale::logarithmic};
    chart.y = {"words skimmed", Unit::percent, Scale::linear};
    for (const RowSummary* summary : family) {
      const Json& test = summary->runs.front()["test"];
      if (!test.contains("passes")) continue;
      const Json& passes = test["passes"];
      const double gamma = option_number(summary->row.options["gamma"]);
      for (std::size_t i = 0; i < passes.size(); ++i) {
        if (i == chart.series.size())
          chart.series.push_back(
              {passes[i]["reader"].get<std::string>(), {}, Line::solid, static_cast<int>(i)});
        chart.series[i].points.push_back({gamma, passes[i]["skim_rate"].get<double>(), {}});
      }
    }
    if (!chart.series.empty())
      charts.push_back({"passes-" + family.front()->row.name, std::move(chart)});
  }
  return charts;
}

// What is drawn of each way to begin with skimming.
struct Begun {
  std::string file, title;
  Axis x, y;
  std::function<std::vector<ChartPoint>(const Json& run)> points;
};

std::vector<ChartPoint> points_of_looks(const Json& run, const char* what) {
  std::vector<ChartPoint> points;
  for (const Json& look : run["dev"].value("looks", Json::array()))
    points.push_back({look["step"].get<double>(), look[what].get<double>(), {}});
  return points;
}

std::vector<ChartPoint> points_of_passes(const Json& run) {
  std::vector<ChartPoint> points;
  for (const Json& pass : run["test"].value("passes", Json::array()))
    points.push_back({static_cast<double>(points.size() + 1),
                      pass["skim_rate"].get<double>(),
                      {pass["reader"].get<std::string>()}});
  return points;
}

// What becomes of readers that begin to skim from nothing, after some plain reading, and after all
// of it.
std::vector<NamedChart> pretraining_charts(const std::vector<RowSummary>& all) {
  const Axis steps{"steps of learning to skim", Unit::plain, Scale::linear};
  const Axis skimmed{"words skimmed", Unit::percent, Scale::linear};
  const std::vector<Begun> kinds = {
      {"accuracy",
       "F1 or accuracy of dev by pretraining",
       steps,
       {"F1 or accuracy of dev", Unit::percent, Scale::linear},
       [](const Json& run) { return points_of_looks(run, "accuracy"); }},
      {"skimmed", "Words skimmed of dev by pretraining", steps, skimmed,
       [](const Json& run) { return points_of_looks(run, "skim_rate"); }},
      {"passes",
       "Words skimmed by each pass of the net, by pretraining",
       {"pass: forward and backward in the first layer, then in the next", Unit::plain,
        Scale::linear},
       skimmed,
       points_of_passes}};
  std::vector<NamedChart> charts;
  for (const Begun& kind : kinds) {
    std::map<std::string, Chart> by_set;
    for (const RowSummary& summary : all) {
      if (summary.row.group != "pretraining") continue;
      std::vector<ChartPoint> points = kind.points(summary.runs.front());
      if (points.size() < 2) continue;
      Chart& chart = by_set[summary.row.set];
      chart.series.push_back({summary.row.title, std::move(points), Line::solid,
                              static_cast<int>(chart.series.size())});
    }
    for (auto& [set, chart] : by_set) {
      chart.title = kind.title + ": " + set;
      chart.x = kind.x;
      chart.y = kind.y;
      charts.push_back({"pretraining-" + set + "-" + kind.file, std::move(chart)});
    }
  }
  return charts;
}

std::string measure_of(const RowSummary& summary) {
  return summary.at("test/f1") ? "F1" : "accuracy";
}

// What models of every size and method cost and reach, where sizes differ.
std::vector<NamedChart> cost_charts(const std::vector<RowSummary>& all) {
  std::map<std::string, std::map<std::string, ChartSeries>> by_set;
  std::map<std::string, std::set<std::string>> sizes;
  std::map<std::string, std::string> measures;
  for (const RowSummary& summary : all) {
    const auto operations = summary.at("test/operations_a_word");
    if (summary.row.group != "table" || !operations) continue;
    const Json& options = summary.row.options;
    const std::string task = options.value("task", "classify");
    const std::string chart = task == "bidaf" ? "bidaf" : summary.row.set;
    sizes[chart].insert(to_text(options.value("hidden", Json())));
    measures[chart] = measure_of(summary);
    by_set[chart][options.value("reader", "skim")].points.push_back(
        {operations->mean / 1000, summary.at("test/accuracy")->mean, {}});
  }
  std::vector<NamedChart> charts;
  for (auto& [name, series] : by_set) {
    if (sizes[name].size() < 2) continue;
    Chart chart;
    chart.title = "What models cost and reach: " + name;
    chart.x = {"thousand multiply-adds a word (counted)", Unit::plain, Scale::logarithmic};
    chart.y = {measures[name], Unit::percent, Scale::linear};
    for (auto& [reader, one] : series) {
      one.name = reader;
      one.line = Line::none;  // neighbours have nothing in common but their cost
      one.colour = static_cast<int>(chart.series.size());
      std::sort(one.points.begin(), one.points.end(),
                [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
      chart.series.push_back(std::move(one));
    }
    charts.push_back({"cost-" + name, std::move(chart)});
  }
  return charts;
}

std::vector<NamedChart> threshold_charts(const std::vector<RowSummary>& all) {
  std::map<std::string, Chart> by_set;
  std::map<std::string, std::string> measures;
  for (const RowSummary& summary : all) {
    if (summary.row.group == "tried") continue;
    for (const Json& run : summary.runs) {
      if (!run.contains("thresholds")) continue;
      Chart& chart = by_set[summary.row.set];
      measures[summary.row.set] = measure_of(summary);
      ChartSeries series{summary.row.title + ", seed " + std::to_string(run["seed"].get<int>()),
                         {},
                         Line::solid,
                         static_cast<int>(chart.series.size())};
      for (const Json& at : run["thresholds"]) {
        // At 1 nothing is read. The point says little and, with a small cell of no units, lies so
        // far away that all others share a corner.
        if (at["threshold"].get<double>() >= 1) continue;
        series.points.push_back(
            {at["flop_reduction"]["counted"].get<double>(), at["accuracy"].get<double>(), {}});
      }
      chart.series.push_back(std::move(series));
      break;  // one seed is enough to see the shape
    }
  }
  std::vector<NamedChart> charts;
  for (auto& [set, chart] : by_set) {
    chart.title = "What less work costs, by threshold: " + set;
    chart.x = {"times less work (counted)", Unit::times, Scale::logarithmic};
    chart.y = {measures[set], Unit::percent, Scale::linear};
    charts.push_back({"threshold-" + set, std::move(chart)});
  }
  return charts;
}

// Measured speed-up by skim rate, one line a hidden size, and the bound in operations beside it.
Result<std::optional<NamedChart>> speed_chart(const std::string& results) {
  const fs::path path = fs::path(results) / "speed" / "bench.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const auto text = read_text(path);
  if (!text) return tl::make_unexpected(text.error());
  const auto rows = parse_json(*text, path.string());
  if (!rows) return tl::make_unexpected(rows.error());
  if (!rows->is_array())
    return fail(Fault::format, path.string() + ": must be what skim bench --json prints");
  std::map<int, std::pair<ChartSeries, ChartSeries>> by_hidden;
  for (const Json& row : *rows) {
    const auto hidden = int_at(row, "hidden", {1, 100'000}, path.string());
    const auto rate = number_at(row, "skim_rate", path.string());
    const auto speedup = number_at(row, "speedup", path.string());
    const auto reductions = object_at(row, "flop_reduction", path.string());
    const auto executed = reductions ? number_at(**reductions, "executed", path.string())
                                     : Result<double>(tl::make_unexpected(reductions.error()));
    if (!hidden || !rate || !speedup || !executed)
      return fail(Fault::format, path.string() + ": must be what skim bench --json prints");
    auto& [measured, bound] = by_hidden[static_cast<int>(*hidden)];
    measured.points.push_back({*rate, *speedup, {}});
    bound.points.push_back({*rate, *executed, {}});
  }
  Chart chart;
  chart.title = "Speed-up by share of words skimmed";
  chart.x = {"words skimmed", Unit::percent, Scale::linear};
  chart.y = {"faster than plain", Unit::times, Scale::logarithmic};
  int colour = 0;
  for (auto& [hidden, pair] : by_hidden) {
    pair.first.name = "d = " + std::to_string(hidden) + ", measured";
    pair.second.name = "bound by operations";
    pair.second.line = Line::dashed;
    pair.first.colour = pair.second.colour = colour++;
    chart.series.push_back(std::move(pair.first));
    chart.series.push_back(std::move(pair.second));
  }
  return NamedChart{"speed", std::move(chart)};
}

}  // namespace

Result<std::vector<NamedChart>> experiment_figures(const std::vector<RowSummary>& all,
                                                   const std::string& results) {
  std::vector<NamedChart> charts;
  const std::vector<Effect> effects = {
      {"small", "d', units of the small cell", "small-accuracy", "test/accuracy", "Accuracy"},
      {"small", "d', units of the small cell", "small-skimmed", "test/skim_rate", "Words skimmed"},
      {"gamma", "gamma, the weight of the skim term", "gamma-accuracy", "test/accuracy", "Accuracy",
       Scale::logarithmic},
      {"gamma", "gamma, the weight of the skim term", "gamma-skimmed", "test/skim_rate",
       "Words skimmed", Scale::logarithmic}};
  for (const Effect& effect : effects) {
    if (auto chart = effect_chart(all, effect)) charts.push_back(std::move(*chart));
  }
  for (auto* make : {pass_charts, pretraining_charts, cost_charts, threshold_charts})
    for (NamedChart& chart : make(all)) charts.push_back(std::move(chart));
  auto speed = speed_chart(results);
  if (!speed) return tl::make_unexpected(speed.error());
  if (*speed) charts.push_back(std::move(**speed));
  return charts;
}

}  // namespace skim::cli

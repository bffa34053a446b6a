#include "cli/reliability_page.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "cli/table.h"

namespace skim::cli {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Confidence of a classifier</title>
<style>
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --faint: #767676; --mark: #0b62b8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eee; --paper: #161616; --faint: #9a9a9a; --mark: #6cb2ff; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
svg { width: 100%; max-width: 30rem; height: auto; }
svg text { fill: var(--ink); font-size: 12px; }
.grid, .diagonal { stroke: var(--faint); stroke-width: 0.5; fill: none; }
.diagonal { stroke-dasharray: 4; stroke-width: 1; }
.bar { fill: var(--mark); fill-opacity: 0.6; }
.curve { stroke: var(--mark); stroke-width: 2; fill: none; }
.dot { fill: var(--ink); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 0.1rem 1.2rem 0.1rem 0; font-weight: normal; }
th { color: var(--faint); }
</style>
</head>
<body>
)";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A diagram of the unit interval against 0 to `highest`, with axes and a description.
class Plot {
 public:
  Plot(std::string_view id, std::string_view title, std::string_view description, double highest)
      : highest_(highest) {
    const std::string name(id);
    svg_ = "<svg role=\"img\" viewBox=\"0 0 420 380\" aria-labelledby=\"" + name + "-t " + name +
           "-d\">\n<title id=\"" + name + "-t\">" + std::string(title) + "</title>\n<desc id=\"" +
           name + "-d\">" + std::string(description) + "</desc>\n";
    for (int i = 0; i <= 5; ++i) {
      const double share = i / 5.0;
      line("grid", share, 0, share, highest);
      line("grid", 0, share * highest, 1, share * highest);
      label(x(share), kBottom + 18, "middle", format_number(share * 100, 0) + " %");
      label(kLeft - 6, y(share * highest) + 4, "end",
            format_number(share * highest * 100, highest < 0.1 ? 1 : 0) + " %");
    }
  }

  void line(std::string_view style, double x1, double y1, double x2, double y2) {
    add("line", style, {{"x1", x(x1)}, {"y1", y(y1)}, {"x2", x(x2)}, {"y2", y(y2)}});
  }
  void bar(double from, double to, double height) {
    add("rect", "bar",
        {{"x", x(from) + 1},
         {"y", y(height)},
         {"width", x(to) - x(from) - 2},
         {"height", kBottom - y(height)}});
  }
  void dot(double at, double height) {
    add("circle", "dot", {{"cx", x(at)}, {"cy", y(height)}, {"r", 3}});
  }
  void curve(const std::vector<Selection>& points) {
    svg_ += "<polyline class=\"curve\" points=\"";
    for (const Selection& each : points)
      svg_ +=
          format_number(x(each.coverage), 1) + "," + format_number(y(1 - each.accuracy), 1) + " ";
    svg_ += "\"/>\n";
  }
  // The finished diagram with the names of its axes.
  std::string finish(const std::string& x_name, const std::string& y_name) {
    label((kLeft + kRight) / 2, kBottom + 38, "middle", x_name);
    label(kLeft - 44, 14, "start", y_name);
    return svg_ + "</svg>\n";
  }

 private:
  static constexpr double kLeft = 50, kRight = 410, kTop = 24, kBottom = 330;

  struct Attribute {
    const char* name;
    double value;
  };

  static double x(double share) { return kLeft + share * (kRight - kLeft); }
  double y(double value) const {
    return kBottom - std::clamp(value / highest_, 0.0, 1.0) * (kBottom - kTop);
  }
  void add(const char* element, std::string_view style, const std::vector<Attribute>& attributes) {
    svg_ += std::string("<") + element + " class=\"" + std::string(style) + "\"";
    for (const Attribute& each : attributes)
      svg_ += std::string(" ") + each.name + "=\"" + format_number(each.value, 1) + "\"";
    svg_ += "/>\n";
  }
  void label(double at, double height, const char* anchor, const std::string& text) {
    svg_ += "<text x=\"" + format_number(at, 1) + "\" y=\"" + format_number(height, 1) +
            "\" text-anchor=\"" + anchor + "\">" + text + "</text>\n";
  }

  double highest_;
  std::string svg_;
};

std::string html_table(const Table& table) {
  std::string html = "<table>\n<tr>";
  for (const std::string& name : table.header) html += "<th scope=\"col\">" + name + "</th>";
  html += "</tr>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + cell + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string reliability_diagram(const ReliabilityBins& bins) {
  Plot plot("reliability", "Reliability diagram",
            "Accuracy of the answers against their confidence in 15 intervals; the diagonal is "
            "perfect calibration. The table below has the numbers.",
            1);
  Table table{{"confidence", "mean", "accuracy", "texts"}, {}};
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double from = static_cast<double>(i) / static_cast<double>(bins.size());
    const double to = static_cast<double>(i + 1) / static_cast<double>(bins.size());
    const ReliabilityBin& bin = bins[i];
    if (bin.count == 0) continue;
    plot.bar(from, to, bin.accuracy);
    plot.dot(bin.confidence, bin.accuracy);
    table.rows.push_back({format_percent(from, 0) + " to " + format_percent(to, 0),
                          format_percent(bin.confidence, 1), format_percent(bin.accuracy, 1),
                          std::to_string(bin.count)});
  }
  plot.line("diagonal", 0, 0, 1, 1);
  return plot.finish("confidence: score of the predicted label", "accuracy") + html_table(table);
}

// The top of an axis for error rates: a number with round fifths.
double axis_top(double largest) {
  for (const double top : {0.01, 0.025, 0.05, 0.1, 0.25, 0.5}) {
    if (largest <= top) return top;
  }
  return 1;
}

std::string risk_coverage_curve(const RiskCoverage& risk) {
  double largest = 0;
  for (const Selection& each : risk.curve) largest = std::max(largest, 1 - each.accuracy);
  Plot plot("risk", "Risk-coverage curve",
            "Error rate on the texts that are answered against their share, when the least "
            "confident texts are not answered. The table below has the numbers.",
            axis_top(largest));
  plot.curve(risk.curve);
  Table table{{"answered", "accuracy", "--abstain"}, {}};
  for (const Selection& row : risk.rows)
    table.rows.push_back({format_percent(row.coverage, 1), format_percent(row.accuracy, 2),
                          format_number(row.threshold, 6)});
  return plot.finish("coverage: share of the texts that are answered", "error rate") +
         html_table(table);
}

}  // namespace

std::string reliability_page(const Report& report) {
  const ConfidenceReport& confidence = *report.confidence;
  std::string html(kHead);
  html += "<h1>" + escape(report.model) + " on " + escape(report.data) + "</h1>\n<p>" +
          std::to_string(report.examples) + " texts, accuracy " +
          format_percent(report.metrics.accuracy, 2) + ". Temperature " +
          format_number(confidence.temperature, 4) + ".</p>\n<h2>Reliability</h2>\n<p>" +
          "Expected calibration error " + format_number(confidence.ece, 4) + " (15 intervals), " +
          "Brier score " + format_number(confidence.brier, 4) + ", negative log likelihood " +
          format_number(confidence.nll, 4) + ".</p>\n";
  html += reliability_diagram(confidence.bins);
  html += "<h2>Risk and coverage</h2>\n<p>Area under the curve " +
          format_number(confidence.risk_coverage.aurc, 4) + ".</p>\n";
  html += risk_coverage_curve(confidence.risk_coverage);
  return html + "</body>\n</html>\n";
}

}  // namespace skim::cli

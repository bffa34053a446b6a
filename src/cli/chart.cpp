#include "cli/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/html.h"

namespace skim::cli {
namespace {

constexpr double kWidth = 680, kHeight = 400;
constexpr double kLeft = 72, kRight = 20, kTop = 40, kBottom = 62;
constexpr int kColours = 6;

constexpr std::string_view kChartStyle = R"css(<style>
.chart{margin:0}.chart svg{display:block;width:100%;height:auto;overflow:visible}
.chart text{font-size:13px;fill:var(--soft);font-family:inherit}
.chart .grid{stroke:var(--grid)}.chart .axis{stroke:var(--line)}
.chart .name{font-weight:600}
.chart .line{fill:none;stroke-width:2.25;stroke-linejoin:round}
.chart .dash{stroke-dasharray:6 5;stroke-width:1.75}
.chart .dot{stroke:var(--card);stroke-width:1.5}
.chart .hit{fill:transparent;stroke-width:2}
.chart .point{outline:none}
.chart .tip{visibility:hidden;pointer-events:none}
.chart .point:hover .tip,.chart .point:focus .tip{visibility:visible}
.chart .point:hover .hit,.chart .point:focus .hit{stroke:var(--ink)}
.chart .tip rect{fill:var(--ink)}.chart .tip text{fill:var(--card)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;margin:.9rem 0 0;padding:0;list-style:none;font-size:.9rem}
.chart .legend svg{display:inline-block;width:2.4em;height:1em;vertical-align:-.12em;margin-right:.45em}
@media(max-width:34rem){.chart text{font-size:20px}.chart .tip text{font-size:17px}.chart .minor{display:none}}
</style>
)css";

struct Range {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// One axis on the page: values to positions.
struct Ruler {
  Axis axis;
  std::vector<double> ticks;
  double low = 0, high = 1;  // in the scale's own measure
  double begin = 0, end = 1;

  double measure(double value) const {
    return axis.scale == Scale::logarithmic ? std::log(value) : value;
  }
  double place(double value) const {
    return begin + (measure(value) - low) / (high - low) * (end - begin);
  }
};

// Shares that hardly differ get room around them, but never beyond 0 and 1.
Range with_room(Range range, const Axis& axis) {
  constexpr double kRoom = 0.02;
  if (range.low > range.high) return {0, 1};
  if (axis.unit == Unit::percent && range.high - range.low < kRoom) {
    return {std::max(range.low - kRoom, 0.0), std::min(range.high + kRoom, 1.0)};
  }
  return range;
}

Ruler make_ruler(const Axis& axis, Range range, double begin, double end) {
  Ruler ruler{axis, {}, 0, 1, begin, end};
  range = with_room(range, axis);
  if (axis.scale == Scale::logarithmic) {
    range = {std::max(range.low, 1e-9) / 1.1, range.high * 1.1};
    ruler.ticks = logarithmic_ticks(range.low, range.high);
  } else {
    ruler.ticks = linear_ticks(range.low, range.high, 6);
    range.include(ruler.ticks.front());
    range.include(ruler.ticks.back());
  }
  ruler.low = ruler.measure(range.low);
  ruler.high = ruler.measure(range.high);
  return ruler;
}

std::string at(double value) { return format_number(value, 1); }

int decimals_for(const std::vector<double>& ticks, Unit unit) {
  const double factor = unit == Unit::percent ? 100 : 1;
  for (int decimals = 0; decimals < 4; ++decimals) {
    const double power = std::pow(10, decimals);
    const bool enough = std::all_of(ticks.begin(), ticks.end(), [&](double tick) {
      const double scaled = tick * factor * power;
      return std::abs(scaled - std::round(scaled)) < 1e-6;
    });
    if (enough) return decimals;
  }
  return 4;
}

std::string tick_text(double value, Unit unit, int decimals) {
  if (unit == Unit::percent) return format_number(value * 100, decimals) + "\u2009%";
  return format_number(value, decimals) + (unit == Unit::times ? "\u00D7" : "");
}

std::string line_element(std::string_view css, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(css) + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) +
         "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\"/>";
}

std::string text_element(double x, double y, std::string_view anchor, const std::string& text,
                         std::string_view extra = {}) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + std::string(anchor) +
         "\"" + std::string(extra) + ">" + escape_html(text) + "</text>";
}

std::string x_axis(const Ruler& x) {
  const double bottom = kHeight - kBottom;
  const int decimals = decimals_for(x.ticks, x.axis.unit);
  std::string svg;
  for (std::size_t i = 0; i < x.ticks.size(); ++i) {
    const double place = x.place(x.ticks[i]);
    svg += line_element("grid", place, kTop, place, bottom);
    // On a phone the letters grow, so every second number gives way.
    svg += text_element(place, bottom + 24, "middle", tick_text(x.ticks[i], x.axis.unit, decimals),
                        i % 2 == 1 ? " class=\"minor\"" : "");
  }
  svg += line_element("axis", kLeft, bottom, kWidth - kRight, bottom);
  svg += text_element((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", x.axis.label,
                      " class=\"name\"");
  return svg + "\n";
}

std::string y_axis(const Ruler& y) {
  const int decimals = decimals_for(y.ticks, y.axis.unit);
  std::string svg;
  for (const double tick : y.ticks) {
    const double place = y.place(tick);
    svg += line_element("grid", kLeft, place, kWidth - kRight, place);
    svg += text_element(kLeft - 10, place + 4.5, "end", tick_text(tick, y.axis.unit, decimals));
  }
  // Above the axis rather than along it: upright text is easier to read.
  return svg + text_element(0, 18, "start", y.axis.label, " class=\"name\"") + "\n";
}

std::string colour_of(const ChartSeries& series) {
  return "var(--c" + std::to_string(series.colour % kColours) + ")";
}

// Each colour has its own shape, so that nobody depends on the colours.
std::string marker(const ChartSeries& series, double x, double y) {
  const auto polygon = [&](const std::vector<std::pair<double, double>>& corners) {
    std::string points;
    for (const auto& [dx, dy] : corners) points += at(x + dx) + "," + at(y + dy) + " ";
    points.pop_back();
    return "<polygon points=\"" + points + "\"";
  };
  std::string shape;
  switch (series.colour % kColours) {
    case 1:
      shape = polygon({{-5, -5}, {5, -5}, {5, 5}, {-5, 5}});
      break;
    case 2:
      shape = polygon({{0, -6.5}, {6, 5}, {-6, 5}});
      break;
    case 3:
      shape = polygon({{0, -7}, {7, 0}, {0, 7}, {-7, 0}});
      break;
    case 4:
      shape = polygon({{0, 6.5}, {6, -5}, {-6, -5}});
      break;
    case 5:
      shape = polygon({{-2, -6},
                       {2, -6},
                       {2, -2},
                       {6, -2},
                       {6, 2},
                       {2, 2},
                       {2, 6},
                       {-2, 6},
                       {-2, 2},
                       {-6, 2},
                       {-6, -2},
                       {-2, -2}});
      break;
    default:
      shape = "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"5\"";
  }
  return shape + " class=\"dot\" fill=\"" + colour_of(series) + "\"/>";
}

std::string tip(const ChartPoint& point, double x, double y) {
  std::size_t longest = 0;
  for (const std::string& line : point.note) longest = std::max(longest, line.size());
  const double width = 8.6 * static_cast<double>(longest) + 20;
  const double height = 21.0 * static_cast<double>(point.note.size()) + 12;
  const double left = x + 14 + width < kWidth ? x + 14 : std::max(x - 14 - width, 0.0);
  const double top = std::clamp(y - height / 2, 0.0, kHeight - height);
  std::string svg = "<g class=\"tip\"><rect x=\"" + at(left) + "\" y=\"" + at(top) + "\" width=\"" +
                    at(width) + "\" height=\"" + at(height) + "\" rx=\"6\"/>";
  for (std::size_t i = 0; i < point.note.size(); ++i) {
    svg +=
        text_element(left + 10, top + 21 + 21.0 * static_cast<double>(i), "start", point.note[i]);
  }
  return svg + "</g>";
}

std::string spoken(const ChartPoint& point) {
  std::string text;
  for (const std::string& line : point.note) text += (text.empty() ? "" : ", ") + line;
  return escape_html(text);
}

std::string line_of(const ChartSeries& series, const Ruler& x, const Ruler& y) {
  if (series.line == Line::none) return {};
  std::string points;
  for (const ChartPoint& point : series.points) {
    points += at(x.place(point.x)) + "," + at(y.place(point.y)) + " ";
  }
  if (points.empty()) return {};
  points.pop_back();
  return std::string("<polyline class=\"line") + (series.line == Line::dashed ? " dash" : "") +
         "\" stroke=\"" + colour_of(series) + "\" points=\"" + points + "\"/>\n";
}

std::string marks_of(const ChartSeries& series, const Ruler& x, const Ruler& y) {
  std::string svg;
  for (const ChartPoint& point : series.points) {
    svg += marker(series, x.place(point.x), y.place(point.y)) + "\n";
  }
  return svg;
}

std::string notes_of(const ChartSeries& series, const Ruler& x, const Ruler& y) {
  std::string svg;
  for (const ChartPoint& point : series.points) {
    const double px = x.place(point.x), py = y.place(point.y);
    svg += "<g class=\"point\" tabindex=\"0\" role=\"img\" aria-label=\"" + spoken(point) +
           "\"><circle class=\"hit\" cx=\"" + at(px) + "\" cy=\"" + at(py) + "\" r=\"11\"/>" +
           tip(point, px, py) + "</g>\n";
  }
  return svg;
}

std::string legend_of(const Chart& chart) {
  if (chart.series.size() < 2) return {};
  const auto item = [](const std::string& css, const std::string& colour, const std::string& mark,
                       const std::string& name) {
    return "<li><svg viewBox=\"0 0 38 16\" aria-hidden=\"true\"><path class=\"" + css +
           "\" stroke=\"" + colour + "\" d=\"M1 8H37\"/>" + mark + "</svg>" + escape_html(name) +
           "</li>";
  };
  std::string html = "<ul class=\"legend\">";
  for (const ChartSeries& series : chart.series) {
    if (series.line == Line::dashed) continue;
    html += item("line", colour_of(series), marker(series, 19, 8), series.name);
  }
  if (!chart.dashed.empty()) html += item("line dash", "var(--soft)", "", chart.dashed);
  return html + "</ul>\n";
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int count) {
  if (!(high > low)) {
    const double room = std::max(std::abs(low) * 0.1, 1e-3);
    low -= room;
    high += room;
  }
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * power;
      if (tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  if (ticks.size() > 1) return ticks;
  // Too narrow for powers of ten.
  ticks = linear_ticks(low, high, 4);
  std::erase_if(ticks, [low, high](double tick) { return tick < low || tick > high; });
  return ticks;
}

std::string chart_html(const Chart& chart) {
  Range across, up;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      across.include(point.x);
      up.include(point.y);
    }
  }
  const Ruler x = make_ruler(chart.x, across, kLeft, kWidth - kRight);
  const Ruler y = make_ruler(chart.y, up, kHeight - kBottom, kTop);
  std::string html = std::string(kChartStyle) + "<figure class=\"chart\"><svg viewBox=\"0 0 " +
                     format_number(kWidth, 0) + " " + format_number(kHeight, 0) +
                     "\" role=\"group\" aria-label=\"" + escape_html(chart.title) + "\">\n";
  html += x_axis(x) + y_axis(y);
  // Notes after all that is drawn, so that nothing covers them.
  for (const auto part : {line_of, marks_of, notes_of}) {
    for (const ChartSeries& series : chart.series) {
      if (series.line != Line::dashed || part == line_of) html += part(series, x, y);
    }
  }
  return html + "</svg>\n" + legend_of(chart) + "</figure>\n";
}

}  // namespace skim::cli

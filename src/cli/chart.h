// Line charts as inline SVG: axes, ticks, a legend, and a note for each point on hover or focus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skim::cli {

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::vector<std::string> note;  // lines of plain text
};

enum class Line { solid, dashed, none };

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // joined in this order
  Line line = Line::solid;
  int colour = 0;  // one of six, counted on beyond; series of one colour belong together
};

enum class Scale { linear, logarithmic };
enum class Unit { plain, percent, times };

struct Axis {
  std::string label;
  Unit unit = Unit::plain;
  Scale scale = Scale::linear;
};

struct Chart {
  std::string title;  // for those who cannot see it
  Axis x, y;
  std::vector<ChartSeries> series;
  std::string dashed;  // what dashed lines mean; they bear the colours of what they belong to
};

// A figure element with its own style and legend.
std::string chart_html(const Chart& chart);

// Round values that cover [low, high] in about `count` steps: 1, 2 or 5 times a power of ten.
std::vector<double> linear_ticks(double low, double high, int count);
// Round values within [low, high] on a logarithmic scale, at least two; 0 < low < high.
std::vector<double> logarithmic_ticks(double low, double high);

}  // namespace skim::cli

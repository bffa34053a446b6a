#include "cli/gnuplot.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/process.h"

namespace skim::cli {
namespace {

// Apart for colour-blind eyes and on white and dark paper alike.
constexpr std::array<std::string_view, 6> kInks = {"#0b5fa5", "#b34700", "#1d7a4f",
                                                   "#93358f", "#6d6200", "#4a55b8"};

// In double quotes gnuplot reads escapes; in single ones only the quote itself is doubled.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

double shown(const Axis& axis, double value) {
  return axis.unit == Unit::percent ? 100 * value : value;
}

std::string axis_commands(char letter, const Axis& axis) {
  const std::string name(1, letter);
  std::string text = "set " + name + "label " +
                     in_quotes(axis.label + (axis.unit == Unit::percent ? " (%)" : "")) + "\n";
  if (axis.unit == Unit::times) text += "set format " + name + " '%gx'\n";
  if (axis.scale == Scale::logarithmic) text += "set logscale " + name + " 2\n";
  return text;
}

// Short names stand side by side below the chart, long ones one a line.
bool names_are_long(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(),
                     [](const ChartSeries& series) { return series.name.size() > 30; });
}

std::string drawn(Line line) {
  if (line == Line::none) return "points pt 7 ps 0.7";
  return std::string("linespoints lw 2 pt 7 ps 0.5 dt ") + (line == Line::dashed ? "2" : "1");
}

}  // namespace

std::string gnuplot_script(const Chart& chart) {
  constexpr std::size_t kHeight = 430, kLine = 20;
  const bool lines = names_are_long(chart);
  const std::size_t height = kHeight + (lines ? kLine * chart.series.size() : 0);
  std::string text =
      "set terminal svg size 720," + std::to_string(height) +
      " dynamic font 'Helvetica,13' background '#ffffff'\n"
      "set encoding utf8\nset termoption noenhanced\nset grid lc '#dddddd'\nset border 3 lc "
      "'#666666'\nset tics nomirror\n"
      "set key outside bottom center height 1 " +  // away from the axis' label
      (lines ? "vertical maxrows " + std::to_string(chart.series.size()) + " Left reverse"
             : "horizontal") +
      "\n";
  text += "set title " + in_quotes(chart.title) + "\n";
  text += axis_commands('x', chart.x) + axis_commands('y', chart.y);
  std::string plots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    const std::string block = "$series" + std::to_string(i);
    text += block + " << END\n";
    for (const ChartPoint& point : series.points)
      text += number(shown(chart.x, point.x)) + " " + number(shown(chart.y, point.y)) + "\n";
    text += "END\n";
    const auto colour = kInks[static_cast<std::size_t>(series.colour) % kInks.size()];
    plots += (i == 0 ? "plot " : ", ") + block + " using 1:2 with " + drawn(series.line) + " lc '" +
             std::string(colour) + "' title " + in_quotes(series.name);
  }
  return text + plots + "\n";
}

Result<std::string> gnuplot_svg(const Chart& chart) {
  const auto ended = run_program({{"gnuplot"}, gnuplot_script(chart)});
  if (!ended)
    return fail(ended.error().fault,
                ended.error().message + "; figures are drawn by gnuplot (Debian: gnuplot-nox)");
  if (ended->status != 0)
    return fail(Fault::io,
                "gnuplot could not draw '" + chart.title + "'; what it said stands above");
  return ended->output;
}

}  // namespace skim::cli

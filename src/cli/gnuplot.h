// Charts drawn by gnuplot, for documents: an SVG file that any page can show.
#pragma once

#include <string>

#include "cli/chart.h"
#include "skim/result.h"

namespace skim::cli {

// The commands and data that draw the chart.
std::string gnuplot_script(const Chart& chart);

// The drawing. An error says what to install when there is no gnuplot.
Result<std::string> gnuplot_svg(const Chart& chart);

}  // namespace skim::cli

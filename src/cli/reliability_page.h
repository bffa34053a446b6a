// An HTML page about the confidence of a classifier.
#pragma once

#include <string>

#include "eval/report.h"

namespace skim::cli {

// The reliability diagram and the risk-coverage curve of a report, which has a ConfidenceReport, as
// inline SVG with their numbers in tables. One file that needs no network and no script.
std::string reliability_page(const Report& report);

}  // namespace skim::cli

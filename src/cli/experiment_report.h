// The report of all experiments: ours beside the paper's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/config.h"
#include "skim/model.h"
#include "skim/result.h"

namespace skim::cli {

struct ReportRequest {
  std::string experiments;     // the folder; its folder results holds what was found
  std::optional<Model> model;  // reads the reviews; without one they are left out
  // Where to write; empty: not at all.
  std::string markdown, html, figures;
};

// The report as Markdown, after all that was requested has been written.
Result<std::string> experiment_report(const Experiments& all, const std::vector<Row>& rows,
                                      const ReportRequest& request);

}  // namespace skim::cli

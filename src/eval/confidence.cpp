#include "eval/confidence.h"

#include <algorithm>
#include <utility>

#include "eval/report.h"

namespace skim {
namespace {

Json bins_json(const ReliabilityBins& bins) {
  Json list = Json::array();
  for (const ReliabilityBin& bin : bins)
    list.push_back({{"count", bin.count},
                    {"confidence", round_significant(bin.confidence)},
                    {"accuracy", round_significant(bin.accuracy)}});
  return list;
}

// The threshold is exact, so that --abstain gives the same answers.
Json selection_json(const Selection& selection) {
  return {{"threshold", selection.threshold},
          {"coverage", round_significant(selection.coverage)},
          {"accuracy", round_significant(selection.accuracy)}};
}

}  // namespace

void ConfidenceMeter::add(const Reading& reading, int truth) {
  predictions_.push_back({reading.answer.score, reading.answer.index == truth});
  const auto label = static_cast<std::size_t>(truth);
  brier_ += brier_score(reading.scores, label);
  nll_ += negative_log_likelihood(reading.scores, label);
}

ConfidenceReport ConfidenceMeter::report(double temperature, std::optional<double> abstain) const {
  const auto texts = static_cast<double>(std::max<std::size_t>(predictions_.size(), 1));
  ConfidenceReport report;
  report.temperature = temperature;
  report.bins = reliability_bins(predictions_);
  report.ece = expected_calibration_error(report.bins);
  report.brier = brier_ / texts;
  report.nll = nll_ / texts;
  report.risk_coverage = risk_coverage(predictions_);
  if (abstain) report.abstention = select_confident(predictions_, *abstain);
  return report;
}

Json to_json(const ConfidenceReport& report) {
  Json rows = Json::array();
  for (const Selection& row : report.risk_coverage.rows) rows.push_back(selection_json(row));
  Json json = {
      {"calibration",
       {{"temperature", report.temperature},
        {"ece", round_significant(report.ece)},
        {"brier", round_significant(report.brier)},
        {"nll", round_significant(report.nll)},
        {"bins", bins_json(report.bins)}}},
      {"risk_coverage",
       {{"aurc", round_significant(report.risk_coverage.aurc)}, {"rows", std::move(rows)}}}};
  if (report.abstention) json["abstention"] = selection_json(*report.abstention);
  return json;
}

}  // namespace skim

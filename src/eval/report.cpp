#include "eval/report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace skim {
namespace {

Json microseconds_json(const Timing& timing) {
  return {{"per_word", round_significant(timing.per_word)},
          {"per_text_p50", round_significant(timing.per_text_p50)},
          {"per_text_p99", round_significant(timing.per_text_p99)},
          {"dense_per_word", round_significant(timing.dense_per_word)},
          {"tokenization_per_word", round_significant(timing.tokenization_per_word)},
          {"texts_timed", timing.texts},
          {"rounds", timing.rounds}};
}

Json labels_json(const Report& report) {
  Json labels = Json::array();
  for (std::size_t i = 0; i < report.confusion.labels(); ++i) {
    Json answered = Json::array();
    for (std::size_t j = 0; j < report.confusion.labels(); ++j) {
      answered.push_back(report.confusion.count(i, j));
    }
    labels.push_back({{"label", report.labels[i]},
                      {"examples", report.confusion.support(i)},
                      {"recall", round_significant(report.confusion.recall(i))},
                      {"precision", round_significant(report.confusion.precision(i))},
                      {"answered", std::move(answered)}});
  }
  return labels;
}

Json multilabel_json(const Report& report) {
  Json labels = Json::array();
  for (std::size_t i = 0; i < report.labels.size(); ++i) {
    const LabelCounts& counts = report.metrics.multilabel->labels[i];
    labels.push_back(
        {{"label", report.labels[i]},
         {"examples", counts.examples},
         {"recall", round_significant(counts.recall())},
         {"precision", round_significant(counts.precision())},
         {"f1", round_significant(counts.f1())},
         {"threshold", round_significant(static_cast<double>(report.label_thresholds[i]))}});
  }
  return labels;
}

}  // namespace

double round_significant(double value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

std::string primary_text(const Metrics& metrics) {
  char text[64];
  if (metrics.regression)
    std::snprintf(text, sizeof text, "%.4g", metrics.primary());
  else
    std::snprintf(text, sizeof text, "%.2f %%", 100 * metrics.primary());
  return text;
}

Json metrics_json(const Metrics& metrics) {
  if (metrics.multilabel)
    return {{"micro_f1", round_significant(metrics.multilabel->micro_f1)},
            {"macro_f1", round_significant(metrics.multilabel->macro_f1)},
            {"precision_at_1", round_significant(metrics.multilabel->precision_at_1)},
            {"subset_accuracy", round_significant(metrics.multilabel->subset_accuracy)}};
  if (metrics.regression)
    return {{"mae", round_significant(metrics.regression->mae)},
            {"rmse", round_significant(metrics.regression->rmse)},
            {"pearson", round_significant(metrics.regression->pearson)},
            {"spearman", round_significant(metrics.regression->spearman)}};
  if (!metrics.f1) return {{"accuracy", round_significant(metrics.accuracy)}};
  return {{"exact_match", round_significant(metrics.accuracy)},
          {"f1", round_significant(*metrics.f1)}};
}

Json passes_json(const std::vector<PassRate>& passes) {
  Json list = Json::array();
  for (const PassRate& pass : passes)
    list.push_back({{"reader", pass.reader}, {"skim_rate", round_significant(pass.skim_rate())}});
  return list;
}

Json flop_reduction_json(const Costs& costs) {
  return {{"paper", round_significant(costs.paper.reduction())},
          {"counted", round_significant(costs.counted.reduction())},
          {"executed", round_significant(costs.executed.reduction())}};
}

Json threshold_json(const Policy& policy) {
  if (policy.rule != Policy::Rule::threshold) return nullptr;
  return round_significant(static_cast<double>(policy.threshold));
}

Json to_json(const Report& report) {
  Json json = {{"examples", report.examples}};
  if (report.metrics.f1) {
    json["impossible_questions"] = report.impossible;
    json["unaligned_answers"] = report.unaligned;
  }
  json.update(metrics_json(report.metrics));
  json["skim_rate"] = round_significant(report.skim_rate);
  if (report.policy.confident) {
    json["confident"] = round_significant(static_cast<double>(*report.policy.confident));
    json["unseen_share"] = round_significant(report.unseen_share);
  }
  json["work"] = round_significant(1 / report.costs.counted.reduction());
  json["flop_reduction"] = flop_reduction_json(report.costs);
  if (report.passes.size() > 1) json["passes"] = passes_json(report.passes);
  json["speedup"] = report.timing ? Json(round_significant(report.timing->speedup)) : Json(nullptr);
  json["reading_speedup"] =
      report.timing ? Json(round_significant(report.timing->reading_speedup)) : Json(nullptr);
  json["microseconds"] = report.timing ? microseconds_json(*report.timing) : Json(nullptr);
  json["words"] = report.words;
  if (report.words > 0)
    json["flops_per_word"] =
        round_significant(report.costs.counted.flops / static_cast<double>(report.words));
  if (!report.labels.empty())
    json["labels"] = report.metrics.multilabel ? multilabel_json(report) : labels_json(report);
  if (report.confidence) json.update(to_json(*report.confidence));
  if (!report.early_answers.empty()) json["early_answers"] = to_json(report.early_answers);
  json["model"] = report.model;
  json["data"] = report.data;
  json["threshold"] = threshold_json(report.policy);
  json["seed"] = report.policy.seed;
  json["machine"] = to_json(report.machine);
  json["version"] = report.version;
  return json;
}

}  // namespace skim

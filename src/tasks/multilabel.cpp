#include "tasks/multilabel.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace skim {
namespace {

double ratio(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

LabelCounts& operator+=(LabelCounts& sum, const LabelCounts& more) {
  sum.right += more.right;
  sum.answered += more.answered;
  sum.examples += more.examples;
  return sum;
}

LabelCounts operator-(LabelCounts all, const LabelCounts& part) {
  all.right -= part.right;
  all.answered -= part.answered;
  all.examples -= part.examples;
  return all;
}

// A score of one label, or of any, and whether its text has the label.
struct Candidate {
  float score = 0;
  bool right = false;
};

// A threshold and the counts of the texts above it.
struct Choice {
  float threshold = 0;
  LabelCounts counts;
};

// The threshold whose counts, added to those of the other labels, have the largest F1. Sorts the
// candidates; starts from `current`, which wins ties.
Choice best_threshold(std::vector<Candidate>& candidates, const LabelCounts& others,
                      const Choice& current) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& left, const Candidate& right) { return left.score > right.score; });
  const auto f1 = [&](LabelCounts counts) { return (counts += others).f1(); };
  Choice best = current;
  double best_f1 = f1(current.counts);
  LabelCounts above = current.counts;
  above.right = above.answered = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    above.right += candidates[i].right ? 1U : 0U;
    ++above.answered;
    const float next = i + 1 < candidates.size() ? candidates[i + 1].score : 0.0F;
    if (next == candidates[i].score || f1(above) <= best_f1) continue;
    best_f1 = f1(above);
    best = {candidates[i].score / 2 + next / 2, above};
  }
  return best;
}

// The candidates of each label.
std::vector<std::vector<Candidate>> candidates_by_label(const LabelScores& predictions) {
  std::vector<std::vector<Candidate>> candidates(predictions.labels);
  for (std::size_t label = 0; label < predictions.labels; ++label)
    candidates[label].reserve(predictions.truth.size());
  for (std::size_t i = 0; i < predictions.truth.size(); ++i) {
    const auto row = predictions.scores.subspan(i * predictions.labels, predictions.labels);
    for (std::size_t label = 0; label < row.size(); ++label)
      candidates[label].push_back({row[label], false});
    for (const int label : predictions.truth[i])
      candidates[static_cast<std::size_t>(label)].back().right = true;
  }
  return candidates;
}

LabelCounts count_above(const std::vector<Candidate>& candidates, float threshold) {
  LabelCounts counts;
  for (const Candidate& each : candidates) {
    const bool above = each.score > threshold;
    counts.answered += above ? 1U : 0U;
    counts.examples += each.right ? 1U : 0U;
    counts.right += above && each.right ? 1U : 0U;
  }
  return counts;
}

// The best threshold for all labels together.
float common_threshold(const std::vector<std::vector<Candidate>>& candidates) {
  std::vector<Candidate> all;
  for (const auto& each : candidates) all.insert(all.end(), each.begin(), each.end());
  constexpr float kDefault = 0.5F;
  return best_threshold(all, {}, {kDefault, count_above(all, kDefault)}).threshold;
}

}  // namespace

double LabelCounts::precision() const { return ratio(right, answered); }
double LabelCounts::recall() const { return ratio(right, examples); }
double LabelCounts::f1() const { return ratio(2 * right, answered + examples); }

MultiLabelMetrics multilabel_metrics(const LabelScores& predictions,
                                     std::span<const float> thresholds) {
  assert(thresholds.size() == predictions.labels);
  MultiLabelMetrics metrics;
  metrics.labels.resize(predictions.labels);
  std::size_t best_right = 0, equal_sets = 0;
  for (std::size_t i = 0; i < predictions.truth.size(); ++i) {
    const auto row = predictions.scores.subspan(i * predictions.labels, predictions.labels);
    const std::vector<int>& truth = predictions.truth[i];
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    best_right += std::binary_search(truth.begin(), truth.end(), static_cast<int>(best)) ? 1U : 0U;
    bool equal = true;
    for (std::size_t label = 0; label < row.size(); ++label) {
      const bool answered = row[label] > thresholds[label];
      const bool has = std::binary_search(truth.begin(), truth.end(), static_cast<int>(label));
      LabelCounts& counts = metrics.labels[label];
      counts += {answered && has ? 1U : 0U, answered ? 1U : 0U, has ? 1U : 0U};
      equal = equal && answered == has;
    }
    equal_sets += equal ? 1U : 0U;
  }
  LabelCounts sum;
  for (const LabelCounts& counts : metrics.labels) {
    sum += counts;
    metrics.macro_f1 += counts.f1() / static_cast<double>(predictions.labels);
  }
  metrics.micro_f1 = sum.f1();
  metrics.precision_at_1 = ratio(best_right, predictions.truth.size());
  metrics.subset_accuracy = ratio(equal_sets, predictions.truth.size());
  return metrics;
}

std::vector<float> tune_label_thresholds(const LabelScores& predictions) {
  constexpr int kMaxRounds = 10;
  auto candidates = candidates_by_label(predictions);
  const float common = common_threshold(candidates);
  std::vector<Choice> choices;
  LabelCounts sum;
  for (const auto& each : candidates) {
    choices.push_back({common, count_above(each, common)});
    sum += choices.back().counts;
  }
  bool changed = true;
  for (int round = 0; round < kMaxRounds && changed; ++round) {
    changed = false;
    for (std::size_t label = 0; label < choices.size(); ++label) {
      if (choices[label].counts.examples == 0) continue;
      const LabelCounts others = sum - choices[label].counts;
      const Choice best = best_threshold(candidates[label], others, choices[label]);
      changed = changed || best.threshold != choices[label].threshold;
      choices[label] = best;
      sum = others;
      sum += best.counts;
    }
  }
  std::vector<float> thresholds;
  for (const Choice& choice : choices) thresholds.push_back(choice.threshold);
  return thresholds;
}

}  // namespace skim

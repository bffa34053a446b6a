// Multi-label metrics and the thresholds of labels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skim {

// Predictions for a multi-label data set. Borrows everything.
struct LabelScores {
  std::size_t labels = 0;
  std::span<const float> scores;            // [examples, labels], row-major
  std::span<const std::vector<int>> truth;  // per example, increasing indices
};

// Binary counts of one label, or their sum over labels.
struct LabelCounts {
  std::size_t right = 0;     // texts with the label that were given it
  std::size_t answered = 0;  // texts that were given it
  std::size_t examples = 0;  // texts with the label

  double precision() const;  // 0 without answers
  double recall() const;     // 0 without examples
  double f1() const;         // 0 with neither
};

struct MultiLabelMetrics {
  double micro_f1 = 0;         // of the counts summed over labels
  double macro_f1 = 0;         // the mean over labels
  double precision_at_1 = 0;   // share of texts whose best label is one of theirs
  double subset_accuracy = 0;  // share of texts with exactly the right labels
  std::vector<LabelCounts> labels;
};

// A text is given each label whose score is above its threshold. One threshold per label.
MultiLabelMetrics multilabel_metrics(const LabelScores& predictions,
                                     std::span<const float> thresholds);

// Returns the thresholds, one per label, that maximize micro F1: from the best threshold for all
// labels together, each label takes the threshold with the best micro F1 given the others, until
// none changes. A threshold lies halfway between two scores. Labels without examples keep the
// common threshold.
std::vector<float> tune_label_thresholds(const LabelScores& predictions);

}  // namespace skim

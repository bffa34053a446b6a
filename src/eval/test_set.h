// A data set prepared for a model: queries, label indices or gold answers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "tasks/multilabel.h"
#include "tasks/regression.h"

namespace skim {

struct TestSet {
  std::string name;
  std::vector<Query> queries;
  std::vector<int> truth;                         // index of the correct label or choice per query
  std::vector<std::vector<int>> label_sets = {};  // of multi-label models instead of `truth`
  std::vector<double> values = {};                // of regression models instead of `truth`
  std::vector<std::vector<GoldAnswer>> gold =
      {};  // gold answers per query, for extractive models instead of `truth`
  std::size_t impossible = 0, unaligned = 0;  // see Dataset
};

// Quality of the answers to a test set.
struct Metrics {
  double accuracy = 0;       // share of correct answers; exact match for extractive models
  std::optional<double> f1;  // token F1, extractive models only
  // Of multi-label and regression models, instead of the two above.
  std::optional<MultiLabelMetrics> multilabel = {};
  std::optional<RegressionMetrics> regression = {};

  // The metric to compare models by, and its name. A fraction, except the error of regression.
  double primary() const;
  const char* primary_name() const;
};

// Converts `data` for a model with this spec. The error gives the line with an unknown label, or
// the line that lacks what the model predicts.
Result<TestSet> make_test_set(Dataset data, const ModelSpec& spec);

// Keeps at most `count` evenly spaced examples: files are often sorted by label.
Dataset subsample(Dataset data, std::size_t count);
// Returns min(`size`, `count`) evenly spaced indices below `size`, in increasing order.
std::vector<std::size_t> evenly_spaced_indices(std::size_t size, std::size_t count);

}  // namespace skim

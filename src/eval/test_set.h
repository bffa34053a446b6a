// A data set made ready to be asked: queries side by side, labels as the model numbers them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"

namespace skim {

struct TestSet {
  std::string name;
  std::vector<Query> queries;
  std::vector<int> truth;                          // of each query, which label or choice is right
  std::vector<std::vector<GoldAnswer>> gold = {};  // instead, where answers are pieces of the text
  std::size_t impossible = 0, unaligned = 0;       // as the data set says
};

// How good the answers to a test set were.
struct Marks {
  double accuracy = 0;       // share of right answers; of pieces of texts, of exact matches
  std::optional<double> f1;  // of pieces of texts: how many of their words were right

  // The one to compare models by, and what people call it.
  double chief() const { return f1.value_or(accuracy); }
  const char* chief_name() const { return f1 ? "F1" : "accuracy"; }
};

// The error names the line whose label the model does not know, or which does not hold what the
// model is to answer.
Result<TestSet> make_test_set(Dataset data, const ModelSpec& spec);

// `count` of them at most, evenly spread: files are often sorted by label.
Dataset evenly(Dataset data, std::size_t count);
// Which ones that takes: `count` indices below `size`, rising; all of them if there are fewer.
std::vector<std::size_t> even_indices(std::size_t size, std::size_t count);

}  // namespace skim

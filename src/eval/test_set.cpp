#include "eval/test_set.h"

#include <algorithm>
#include <utility>

#include "base/result_macros.h"
#include "tasks/label_sets.h"
#include "tasks/labels.h"
#include "tasks/soft_labels.h"

namespace skim {

namespace {

tl::unexpected<Error> at_line(const Dataset& data, const Example& example, const char* what) {
  return fail(Fault::mismatch, data.name + ", line " + std::to_string(example.line) + ": " + what);
}

Result<void> check_no_questions(const Dataset& data) {
  for (const Example& example : data.examples) {
    if (!example.query.question.empty())
      return at_line(data, example, "has a question, but the model is a classifier");
  }
  return {};
}

Result<std::vector<int>> find_truth(const Dataset& data, const ModelSpec& spec) {
  if (spec.net == NetKind::classifier) {
    SKIM_RETURN_IF_ERROR(check_no_questions(data));
    if (spec.output != OutputActivation::softmax) return std::vector<int>{};
    return label_indices(data, spec.labels);
  }
  if (spec.net == NetKind::cloze) return choice_indices(data);
  for (const Example& example : data.examples) {
    if (example.answers.empty())
      return at_line(data, example, "has no question with an answer in the text");
  }
  return std::vector<int>{};
}

}  // namespace

Result<TestSet> make_test_set(Dataset data, const ModelSpec& spec) {
  SKIM_RETURN_IF_ERROR(resolve_soft_labels(spec.labels, label_kind(spec), data));
  SKIM_ASSIGN_OR_RETURN(auto truth, find_truth(data, spec));
  TestSet set;
  set.truth = std::move(truth);
  if (spec.output == OutputActivation::sigmoid) {
    SKIM_ASSIGN_OR_RETURN(set.label_sets, label_set_indices(data, spec.labels));
  }
  if (spec.output == OutputActivation::linear) {
    for (const Example& example : data.examples) set.values.push_back(example.value);
  }
  set.name = std::move(data.name);
  set.impossible = data.impossible;
  set.unaligned = data.unaligned;
  if (spec.is_extractive()) {
    for (Example& example : data.examples) set.gold.push_back(std::move(example.answers));
  }
  set.queries.reserve(data.examples.size());
  for (Example& example : data.examples) set.queries.push_back(std::move(example.query));
  return set;
}

double Metrics::primary() const {
  if (multilabel) return multilabel->micro_f1;
  return regression ? regression->rmse : f1.value_or(accuracy);
}

const char* Metrics::primary_name() const {
  if (multilabel) return "micro F1";
  if (regression) return "RMSE";
  return f1 ? "F1" : "accuracy";
}

std::vector<std::size_t> evenly_spaced_indices(std::size_t size, std::size_t count) {
  count = std::min(size, count);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i * size / count;
  return indices;
}

Dataset subsample(Dataset data, std::size_t count) {
  if (count >= data.examples.size()) return data;
  Dataset some{std::move(data.name), {}, data.impossible, data.unaligned};
  for (const std::size_t i : evenly_spaced_indices(data.examples.size(), count)) {
    some.examples.push_back(std::move(data.examples[i]));
  }
  return some;
}

}  // namespace skim

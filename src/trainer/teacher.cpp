#include "trainer/teacher.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/result_macros.h"
#include "skim/batch.h"
#include "skim/model.h"
#include "spec/temperature.h"

namespace skim::cli {
namespace {

// The index of each label in the label list of the model.
Result<std::vector<std::size_t>> label_positions(const Model& model,
                                                 const std::vector<std::string>& labels) {
  const std::vector<std::string>& known = model.spec().labels;
  std::vector<std::size_t> positions;
  for (const std::string& label : labels) {
    const auto found = std::find(known.begin(), known.end(), label);
    if (found == known.end())
      return fail(Fault::mismatch, model.name() + ": does not have the label '" + label +
                                       "', which a teacher needs");
    positions.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return positions;
}

const char* answer_kind(const ModelSpec& spec) {
  if (spec.is_extractive()) return "spans of a text";
  if (spec.net == NetKind::cloze) return "choices";
  if (spec.output == OutputActivation::sigmoid) return "any number of labels";
  return spec.output == OutputActivation::linear ? "numbers" : "labels";
}

Result<void> check_answer_kind(const Model& model, const ModelSpec& student) {
  const std::string_view own = answer_kind(model.spec()), expected = answer_kind(student);
  if (own == expected) return {};
  return fail(Fault::mismatch, model.name() + ": answers with " + std::string(own) + ", expected " +
                                   std::string(expected) + " from a teacher");
}

// Enough to occupy all threads, few enough to react to a stop soon.
constexpr std::size_t kQueriesPerBatch = 256;

// Adds the weighted predictions of one model to soft targets.
class WeightedPredictions {
 public:
  WeightedPredictions(const Model& model, const ModelSpec& student,
                      std::vector<std::size_t> positions, float weight)
      : model_(model), student_(student), label_positions_(std::move(positions)), weight_(weight) {}

  Result<void> add(const Result<Reading>& answer, std::vector<float>& sum) const {
    SKIM_RETURN_IF_ERROR(answer);
    std::vector<float> scores = answer->scores;
    // At temperature 1, as the teacher was trained: --distillation-temperature alone softens it.
    sharpen_scores(scores, model_.calibration().temperature);
    const bool labels = !student_.labels.empty();
    if (!labels && !sum.empty() && sum.size() != scores.size())
      return fail(Fault::mismatch,
                  model_.name() + ": tokenizes a text differently from another teacher");
    sum.resize(labels ? student_.labels.size() : scores.size());
    for (std::size_t j = 0; j < sum.size(); ++j)
      sum[j] += weight_ * scores[labels ? label_positions_[j] : j];
    return {};
  }

 private:
  const Model& model_;
  const ModelSpec& student_;
  std::vector<std::size_t> label_positions_;  // of the student's labels in the model
  float weight_;
};

// Adds the predictions of the model at `path` for each text, times `weight`, to `sums`.
Result<void> add_soft_targets(const std::string& path, const Dataset& texts,
                              const ModelSpec& student, float weight, const TeacherOptions& options,
                              train::SoftTargets& sums) {
  SKIM_ASSIGN_OR_RETURN(const auto model, Model::load(path));
  SKIM_RETURN_IF_ERROR(check_answer_kind(model, student));
  SKIM_ASSIGN_OR_RETURN(const auto positions, label_positions(model, student.labels));
  const WeightedPredictions predictions(model, student, positions, weight);
  Batch batch(model, options.threads);
  ProgressBar bar("soft targets of " + model.name(), options.bar);
  std::vector<Query> queries;
  std::vector<Result<Reading>> answers;
  const std::size_t count = texts.examples.size();
  for (std::size_t first = 0; first < count; first += queries.size()) {
    if (options.stop != nullptr && options.stop->load())
      return fail(Fault::argument, "stopped while computing soft targets, before the first step");
    queries.clear();
    for (std::size_t i = first; i < std::min(count, first + kQueriesPerBatch); ++i)
      queries.push_back(texts.examples[i].query);
    answers.resize(queries.size());
    batch.read(queries, {}, answers);
    for (std::size_t i = 0; i < answers.size(); ++i)
      SKIM_RETURN_IF_ERROR(predictions.add(answers[i], sums[first + i]));
    bar.update(static_cast<double>(first) / static_cast<double>(count));
  }
  return {};
}

}  // namespace

train::Teacher make_teacher(const std::vector<std::string>& files, TeacherOptions options) {
  if (files.empty()) return {};
  return [files, options](const Dataset& texts,
                          const ModelSpec& student) -> Result<train::SoftTargets> {
    train::SoftTargets mean(texts.examples.size());
    const float weight = 1.0F / static_cast<float>(files.size());
    for (const std::string& file : files)
      SKIM_RETURN_IF_ERROR(add_soft_targets(file, texts, student, weight, options, mean));
    return mean;
  };
}

}  // namespace skim::cli

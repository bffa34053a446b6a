#include "trainer/teacher.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "skim/batch.h"
#include "skim/model.h"

namespace skim::cli {
namespace {

// For each of the labels its place in the model's list.
Result<std::vector<std::size_t>> places_in(const Model& model,
                                           const std::vector<std::string>& labels) {
  const std::vector<std::string>& known = model.spec().labels;
  std::vector<std::size_t> places;
  for (const std::string& label : labels) {
    const auto found = std::find(known.begin(), known.end(), label);
    if (found == known.end())
      return fail(Fault::mismatch,
                  model.name() + ": does not know the label '" + label + "' and cannot teach it");
    places.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return places;
}

const char* answers_of(const ModelSpec& spec) {
  if (spec.finds_pieces()) return "pieces of a text";
  return spec.net == NetKind::cloze ? "choices" : "labels";
}

Result<void> check_kind(const Model& model, const ModelSpec& learner) {
  const std::string_view own = answers_of(model.spec()), wanted = answers_of(learner);
  if (own == wanted) return {};
  return fail(Fault::mismatch, model.name() + ": answers with " + std::string(own) + ", not with " +
                                   std::string(wanted) + ", and cannot teach");
}

// Adds a share of what the model at `path` holds of each text to `sums`.
Result<void> add_opinion(const std::string& path, const Dataset& texts, const ModelSpec& learner,
                         float share, train::Opinions& sums) {
  const auto model = Model::load(path);
  if (!model) return tl::unexpected(model.error());
  if (const auto fits = check_kind(*model, learner); !fits) return fits;
  const auto places = places_in(*model, learner.labels);
  if (!places) return tl::unexpected(places.error());
  Batch batch(*model, 0);
  std::vector<Query> queries;
  for (const Example& example : texts.examples) queries.push_back(example.query);
  std::vector<Result<Reading>> answers(queries.size());
  batch.ask(queries, {}, answers);
  const bool labels = !learner.labels.empty();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) return tl::unexpected(answers[i].error());
    const std::vector<float>& scores = answers[i]->scores;
    if (!labels && !sums[i].empty() && sums[i].size() != scores.size())
      return fail(Fault::mismatch, model->name() + ": finds other words than another teacher");
    sums[i].resize(labels ? learner.labels.size() : scores.size());
    for (std::size_t j = 0; j < sums[i].size(); ++j)
      sums[i][j] += share * scores[labels ? (*places)[j] : j];
  }
  return {};
}

}  // namespace

train::Teacher teacher_of(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  return [files](const Dataset& texts, const ModelSpec& learner) -> Result<train::Opinions> {
    train::Opinions mean(texts.examples.size());
    const float share = 1.0F / static_cast<float>(files.size());
    for (const std::string& file : files)
      if (const auto added = add_opinion(file, texts, learner, share, mean); !added)
        return tl::unexpected(added.error());
    return mean;
  };
}

}  // namespace skim::cli

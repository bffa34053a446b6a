#include "trainer/teacher.h"

#include <algorithm>
#include <cstddef>

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

// One of these is in the way of the other: labels, or pieces of texts.
Result<void> check_kind(const Model& model, bool of_pieces) {
  if (model.spec().finds_pieces() == of_pieces) return {};
  return fail(Fault::mismatch, model.name() + ": answers with " +
                                   (of_pieces ? "labels, not with pieces of a text"
                                              : "pieces of a text, not with labels") +
                                   ", and cannot teach");
}

// Adds a share of what the model at `path` holds of each text to `sums`.
Result<void> add_opinion(const std::string& path, const Dataset& texts,
                         const std::vector<std::string>& labels, float share,
                         train::Opinions& sums) {
  const auto model = Model::load(path);
  if (!model) return tl::unexpected(model.error());
  const bool of_pieces = labels.empty();
  if (const auto fits = check_kind(*model, of_pieces); !fits) return fits;
  const auto places = places_in(*model, labels);
  if (!places) return tl::unexpected(places.error());
  Batch batch(*model, 0);
  std::vector<Query> queries;
  for (const Example& example : texts.examples) queries.push_back(example.query);
  std::vector<Result<Reading>> answers(queries.size());
  batch.ask(queries, {}, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) return tl::unexpected(answers[i].error());
    const std::vector<float>& scores = answers[i]->scores;
    if (of_pieces && !sums[i].empty() && sums[i].size() != scores.size())
      return fail(Fault::mismatch, model->name() + ": finds other words than another teacher");
    sums[i].resize(of_pieces ? scores.size() : labels.size());
    for (std::size_t j = 0; j < sums[i].size(); ++j)
      sums[i][j] += share * scores[of_pieces ? j : (*places)[j]];
  }
  return {};
}

}  // namespace

train::Teacher teacher_of(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  return [files](const Dataset& texts,
                 const std::vector<std::string>& labels) -> Result<train::Opinions> {
    train::Opinions mean(texts.examples.size());
    const float share = 1.0F / static_cast<float>(files.size());
    for (const std::string& file : files)
      if (const auto added = add_opinion(file, texts, labels, share, mean); !added)
        return tl::unexpected(added.error());
    return mean;
  };
}

}  // namespace skim::cli

#include "trainer/teacher.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

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

// How many texts are asked about at once: enough for every thread, few enough to be stopped soon.
constexpr std::size_t kAtOnce = 256;

// One model's share in what is held of each text.
class Opinion {
 public:
  Opinion(const Model& model, const ModelSpec& learner, std::vector<std::size_t> places,
          float share)
      : model_(model), learner_(learner), places_(std::move(places)), share_(share) {}

  Result<void> add(const Result<Reading>& answer, std::vector<float>& sum) const {
    if (!answer) return tl::unexpected(answer.error());
    const std::vector<float>& scores = answer->scores;
    const bool labels = !learner_.labels.empty();
    if (!labels && !sum.empty() && sum.size() != scores.size())
      return fail(Fault::mismatch, model_.name() + ": finds other words than another teacher");
    sum.resize(labels ? learner_.labels.size() : scores.size());
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += share_ * scores[labels ? places_[j] : j];
    return {};
  }

 private:
  const Model& model_;
  const ModelSpec& learner_;
  std::vector<std::size_t> places_;  // of the learner's labels in the model's list
  float share_;
};

// Adds a share of what the model at `path` holds of each text to `sums`.
Result<void> add_opinion(const std::string& path, const Dataset& texts, const ModelSpec& learner,
                         float share, const Asking& asking, train::Opinions& sums) {
  const auto model = Model::load(path);
  if (!model) return tl::unexpected(model.error());
  if (const auto fits = check_kind(*model, learner); !fits) return fits;
  const auto places = places_in(*model, learner.labels);
  if (!places) return tl::unexpected(places.error());
  const Opinion opinion(*model, learner, *places, share);
  Batch batch(*model, asking.threads);
  ProgressBar bar("asking " + model->name(), asking.bar);
  std::vector<Query> queries;
  std::vector<Result<Reading>> answers;
  const std::size_t count = texts.examples.size();
  for (std::size_t first = 0; first < count; first += queries.size()) {
    if (asking.stop != nullptr && asking.stop->load())
      return fail(Fault::argument, "stopped while a teacher was asked; nothing was learned yet");
    queries.clear();
    for (std::size_t i = first; i < std::min(count, first + kAtOnce); ++i)
      queries.push_back(texts.examples[i].query);
    answers.resize(queries.size());
    batch.ask(queries, {}, answers);
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (const auto added = opinion.add(answers[i], sums[first + i]); !added) return added;
    bar.show(static_cast<double>(first) / static_cast<double>(count));
  }
  return {};
}

}  // namespace

train::Teacher teacher_of(const std::vector<std::string>& files, Asking asking) {
  if (files.empty()) return {};
  return
      [files, asking](const Dataset& texts, const ModelSpec& learner) -> Result<train::Opinions> {
        train::Opinions mean(texts.examples.size());
        const float share = 1.0F / static_cast<float>(files.size());
        for (const std::string& file : files)
          if (const auto added = add_opinion(file, texts, learner, share, asking, mean); !added)
            return tl::unexpected(added.error());
        return mean;
      };
}

}  // namespace skim::cli

#include "train/load.h"

#include <algorithm>
#include <iterator>

#include "file/model_file.h"
#include "spec/params.h"
#include "tasks/labels.h"
#include "tasks/load.h"
#include "train/pieces.h"

namespace skim::train {

// So many of them at most, evenly spread.
void keep_evenly(std::vector<Example>& examples, std::size_t most) {
  if (most == 0 || most >= examples.size()) return;
  const std::size_t size = examples.size();
  std::vector<Example> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(examples[i * size / most]));
  examples = std::move(kept);
}

namespace {

constexpr double kDevShare = 0.1;
// Words of a text that is read whole.
constexpr std::size_t kWhole = 100'000;

Result<void> check_labels(const Dataset& data, const std::vector<std::string>& labels) {
  if (labels.size() >= 2) return {};
  return fail(Fault::argument, data.name + ": every text has the label '" + labels[0] +
                                   "'; there is nothing to learn with less than two");
}

void append(Dataset& whole, Dataset part) {
  whole.name += (whole.name.empty() ? "" : ", ") + part.name;
  std::move(part.examples.begin(), part.examples.end(), std::back_inserter(whole.examples));
}

// Each item gets what the teacher holds of its whole text.
Result<void> ask_teacher(const Teacher& teacher, const Dataset& texts,
                         const std::vector<std::string>& labels, std::vector<Item>& items) {
  const Result<std::vector<float>> told = teacher(texts, labels);
  if (!told) return tl::unexpected(told.error());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float* of_text = told->data() + i * labels.size();
    items[i].taught.assign(of_text, of_text + labels.size());
  }
  return {};
}

}  // namespace

Result<TrainingData> load_training_data(const Job& job, ModelSpec& spec,
                                        const std::function<void(const std::string&)>& message) {
  TrainingData data;
  for (const std::string& file : job.train) {
    message("reading " + file);
    Result<Dataset> part = load_examples(file);
    if (!part) return tl::unexpected(part.error());
    append(data.train, std::move(*part));
  }
  if (spec.net == NetKind::classifier) {
    spec.labels = labels_of(data.train);
    if (const auto checked = check_labels(data.train, spec.labels); !checked)
      return tl::unexpected(checked.error());
  }
  if (!job.dev.empty()) {
    Result<Dataset> dev = load_examples(job.dev);
    if (!dev) return tl::unexpected(dev.error());
    data.dev = std::move(*dev);
  } else {
    data.dev = split_off(data.train, kDevShare, job.fit.seed);
    if (data.dev.examples.empty() || data.train.examples.empty())
      return fail(Fault::argument,
                  data.train.name + ": too few texts to split some off for dev; give --dev");
    message("no --dev file: " + std::to_string(data.dev.examples.size()) + " of " +
            std::to_string(data.dev.examples.size() + data.train.examples.size()) +
            " texts were split off for it");
  }
  keep_evenly(data.train.examples, job.most_texts);
  std::optional<WordVectors> vectors;
  if (!job.vectors.empty()) {
    Result<WordVectors> loaded = load_vectors(job.vectors);
    if (!loaded) return tl::unexpected(loaded.error());
    vectors = std::move(*loaded);
  }
  data.vocabulary =
      make_vocabulary(data.train, spec.tokenizer, vectors ? &*vectors : nullptr,
                      {job.vocabulary, job.fewest, job.tuned_from, spec.word_width, job.fit.seed});
  spec.vocabulary = static_cast<int>(data.vocabulary.words.size());
  spec.word_width = static_cast<int>(data.vocabulary.width);
  spec.reader.input = spec.input_width();
  if (!job.start_from.empty()) {
    const Result<ModelFile> file = open_model_file(job.start_from);
    if (!file) return tl::unexpected(file.error());
    Result<Start> start = start_from(*file, spec, data.vocabulary);
    if (!start) return tl::unexpected(start.error());
    data.start = std::move(*start);
    message("begins with " + std::to_string(data.start->weights.size()) + " of " +
            std::to_string(model_tensors(spec).size() - 1) + " tensors and " +
            std::to_string(data.start->words) + " of " +
            std::to_string(data.vocabulary.words.size()) + " word vectors of " + job.start_from);
  }
  const auto encode = [&](const Dataset& texts, std::size_t most, std::vector<Item>& into) {
    Result<Items> made = encode_items(texts, data.vocabulary, spec, most);
    if (!made) return Result<void>(tl::unexpected(made.error()));
    into = std::move(made->items);
    if (made->without_answer > 0)
      message(texts.name + ": " + std::to_string(made->without_answer) +
              " questions are left out, their answers do not lie in what is read");
    if (into.empty())
      return Result<void>(
          fail(Fault::argument, texts.name + ": no question has an answer in its text"));
    return Result<void>{};
  };
  // Dev is read whole: that is what the model will be asked to do.
  const std::size_t most = job.fit.crop > 0 ? kWhole : job.most_words;
  if (const auto done = encode(data.train, most, data.train_items); !done)
    return tl::unexpected(done.error());
  if (const auto done = encode(data.dev, kWhole, data.dev_items); !done)
    return tl::unexpected(done.error());
  if (!job.teacher) return data;
  const Dataset pieces =
      cut_pieces(data.train, spec.tokenizer, {job.teacher_pieces, job.most_words, job.fit.seed});
  std::vector<Item> piece_items;
  if (!pieces.examples.empty()) {
    if (const auto done = encode(pieces, kWhole, piece_items); !done)
      return tl::unexpected(done.error());
  }
  message("asking the teacher about " + std::to_string(data.train_items.size()) + " texts" +
          (piece_items.empty() ? "" : " and " + std::to_string(piece_items.size()) + " pieces"));
  if (const auto done = ask_teacher(job.teacher, data.train, spec.labels, data.train_items); !done)
    return tl::unexpected(done.error());
  if (const auto done = ask_teacher(job.teacher, pieces, spec.labels, piece_items); !done)
    return tl::unexpected(done.error());
  for (Item& item : piece_items) {
    item.labelled = false;
    data.train_items.push_back(std::move(item));
  }
  return data;
}

}  // namespace skim::train

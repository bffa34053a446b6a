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

using Message = std::function<void(const std::string&)>;

void tell_what_is_left_aside(const Dataset& data, const Message& message) {
  if (data.impossible > 0)
    message(data.name + ": " + std::to_string(data.impossible) +
            " questions have no answer in their text and are left out");
  if (data.unaligned > 0)
    message(data.name + ": " + std::to_string(data.unaligned) +
            " right answers do not stand in their text");
}

Result<void> read_files(const Job& job, ModelSpec& spec, const Message& message,
                        TrainingData& data) {
  for (const std::string& file : job.train) {
    message("reading " + file);
    Result<Dataset> part = load_examples(file);
    if (!part) return tl::unexpected(part.error());
    tell_what_is_left_aside(*part, message);
    append(data.train, std::move(*part));
  }
  if (spec.net == NetKind::classifier) {
    spec.labels = labels_of(data.train);
    if (const auto checked = check_labels(data.train, spec.labels); !checked) return checked;
  }
  if (!job.dev.empty()) {
    Result<Dataset> dev = load_examples(job.dev);
    if (!dev) return tl::unexpected(dev.error());
    tell_what_is_left_aside(*dev, message);
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
  return {};
}

// Which words end a sentence. The tokenizer sets them apart.
Result<void> find_sentence_ends(const Vocabulary& vocabulary, std::vector<int>& ends) {
  for (const std::string_view mark : {".", "!", "?"}) {
    const auto found = std::find(vocabulary.words.begin(), vocabulary.words.end(), mark);
    if (found != vocabulary.words.end())
      ends.push_back(static_cast<int>(found - vocabulary.words.begin()));
  }
  if (!ends.empty()) return {};
  return fail(Fault::argument,
              "no sentence of the training texts ends in '.', '!' or '?' as a word of its own, so "
              "there are none to jump over; use --jump-over words");
}

Result<void> gather_words(const Job& job, ModelSpec& spec, TrainingData& data) {
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
  if (job.by_sentences) return find_sentence_ends(data.vocabulary, spec.reader.jump.ends);
  return {};
}

// Decisions that do not learn must be those of a model that has learned them.
Result<void> check_decisions(const Job& job, const ModelSpec& spec, const Start& start) {
  if (job.fit.estimator != Estimator::none) return {};
  for (const TensorSpec& tensor : model_tensors(spec)) {
    if (tensor.name.find(".decision.") != std::string::npos &&
        start.weights.count(tensor.name) == 0)
      return fail(Fault::mismatch,
                  job.start_from + ": has no decisions to keep, which --estimator none needs");
  }
  return {};
}

Result<void> begin_with_model(const Job& job, const ModelSpec& spec, const Message& message,
                              TrainingData& data) {
  const Result<ModelFile> file = open_model_file(job.start_from);
  if (!file) return tl::unexpected(file.error());
  Result<Start> start = start_from(*file, spec, data.vocabulary);
  if (!start) return tl::unexpected(start.error());
  if (const auto kept = check_decisions(job, spec, *start); !kept) return kept;
  data.start = std::move(*start);
  message("begins with " + std::to_string(data.start->weights.size()) + " of " +
          std::to_string(model_tensors(spec).size() - 1) + " tensors and " +
          std::to_string(data.start->words) + " of " +
          std::to_string(data.vocabulary.words.size()) + " word vectors of " + job.start_from);
  return {};
}

Result<std::vector<Item>> encode(const Dataset& texts, const Vocabulary& vocabulary,
                                 const ModelSpec& spec, std::size_t most, const Message& message) {
  Result<Items> made = encode_items(texts, vocabulary, spec, most);
  if (!made) return tl::unexpected(made.error());
  if (made->without_answer > 0)
    message(texts.name + ": " + std::to_string(made->without_answer) +
            " questions are left out, their answers do not lie in what is read");
  if (made->items.empty())
    return fail(Fault::argument, texts.name + ": no question has an answer in its text");
  return std::move(made->items);
}

// Pieces of the texts join them, to be labelled by the teacher alone.
Result<void> add_pieces(const Job& job, const ModelSpec& spec, const Message& message,
                        TrainingData& data) {
  Dataset pieces =
      cut_pieces(data.train, spec.tokenizer, {job.teacher_pieces, job.most_words, job.fit.seed});
  if (pieces.examples.empty()) return {};
  Result<std::vector<Item>> items = encode(pieces, data.vocabulary, spec, kWhole, message);
  if (!items) return tl::unexpected(items.error());
  for (Item& item : *items) {
    item.labelled = false;
    item.example += data.train.examples.size();
    data.train_items.push_back(std::move(item));
  }
  append(data.train, std::move(pieces));
  return {};
}

// Of a piece of a text: what is held of those words that are learned from.
Result<std::vector<float>> opinion_of_words(const std::vector<float>& whole, std::size_t words) {
  const std::size_t all = whole.size() / 2;
  if (words > all)
    return fail(Fault::mismatch, "the teacher finds other words in a text and cannot teach them");
  std::vector<float> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(words));
  const auto last = whole.begin() + static_cast<std::ptrdiff_t>(all);
  part.insert(part.end(), last, last + static_cast<std::ptrdiff_t>(words));
  return part;
}

// Each item gets what the teacher holds of its whole text.
Result<void> ask_teacher(const Job& job, const ModelSpec& spec, const Message& message,
                         TrainingData& data) {
  const std::size_t texts = data.train_items.size();
  if (const auto added = add_pieces(job, spec, message, data); !added) return added;
  const std::size_t pieces = data.train_items.size() - texts;
  message("asking the teacher about " + std::to_string(texts) + " texts" +
          (pieces == 0 ? "" : " and " + std::to_string(pieces) + " pieces"));
  Result<Opinions> told = job.teacher(data.train, spec);
  if (!told) return tl::unexpected(told.error());
  for (Item& item : data.train_items) {
    const std::vector<float>& opinion = (*told)[item.example];
    if (!spec.finds_pieces()) {
      item.taught = opinion;
      continue;
    }
    Result<std::vector<float>> part = opinion_of_words(opinion, item.words.size());
    if (!part) return tl::unexpected(part.error());
    item.taught = std::move(*part);
  }
  return {};
}

}  // namespace

Result<TrainingData> load_training_data(const Job& job, ModelSpec& spec,
                                        const std::function<void(const std::string&)>& message) {
  TrainingData data;
  if (const auto read = read_files(job, spec, message, data); !read)
    return tl::unexpected(read.error());
  if (const auto gathered = gather_words(job, spec, data); !gathered)
    return tl::unexpected(gathered.error());
  if (!job.start_from.empty()) {
    if (const auto begun = begin_with_model(job, spec, message, data); !begun)
      return tl::unexpected(begun.error());
  }
  // Dev is read whole: that is what the model will be asked to do.
  const std::size_t most = job.fit.crop > 0 ? kWhole : job.most_words;
  auto train = encode(data.train, data.vocabulary, spec, most, message);
  if (!train) return tl::unexpected(train.error());
  data.train_items = std::move(*train);
  auto dev = encode(data.dev, data.vocabulary, spec, kWhole, message);
  if (!dev) return tl::unexpected(dev.error());
  data.dev_items = std::move(*dev);
  if (job.teacher) {
    if (const auto asked = ask_teacher(job, spec, message, data); !asked)
      return tl::unexpected(asked.error());
  }
  data.train = {};  // all that is learned from it stands in the items
  return data;
}

}  // namespace skim::train

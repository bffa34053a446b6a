#include "train/load.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "base/result_macros.h"
#include "file/model_file.h"
#include "spec/names.h"
#include "spec/params.h"
#include "tasks/label_sets.h"
#include "tasks/labels.h"
#include "tasks/load.h"
#include "tasks/soft_labels.h"
#include "text/normalize.h"
#include "train/choose_tokenizer.h"
#include "train/class_weights.h"
#include "train/distillation_crops.h"
#include "train/initial_subwords.h"
#include "train/options_table.h"
#include "train/pretrained.h"

namespace skim::train {

std::string describe_embeddings(const std::string& source, const Coverage& coverage) {
  if (source.empty()) return "random";
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%", 100 * coverage.token_share());
  return source + " has " + std::to_string(coverage.words) + " of " +
         std::to_string(coverage.all_words) + " words of the training texts, " + share +
         " of their tokens";
}

void subsample(std::vector<Example>& examples, std::size_t limit) {
  if (limit == 0 || limit >= examples.size()) return;
  const std::size_t size = examples.size();
  std::vector<Example> kept;
  for (std::size_t i = 0; i < limit; ++i) kept.push_back(std::move(examples[i * size / limit]));
  examples = std::move(kept);
}

namespace {

constexpr double kDevFraction = 0.1;
// The word limit of texts that are not truncated.
constexpr std::size_t kUntruncated = 100'000;

Result<void> check_labels(const Dataset& data, const std::vector<std::string>& labels) {
  if (labels.size() >= 2) return {};
  return fail(Fault::argument, data.name + ": every text has the label '" + labels[0] +
                                   "', expected at least two different labels");
}

void append(Dataset& whole, Dataset part) {
  whole.name += (whole.name.empty() ? "" : ", ") + part.name;
  std::move(part.examples.begin(), part.examples.end(), std::back_inserter(whole.examples));
}

using Message = std::function<void(const std::string&)>;

void report_dropped(const Dataset& data, const Message& message) {
  if (data.impossible > 0)
    message(data.name + ": " + std::to_string(data.impossible) +
            " questions without an answer in their text are ignored");
  if (data.unaligned > 0)
    message(data.name + ": " + std::to_string(data.unaligned) +
            " answers were not found in their text");
}

// Sets the labels of a classifier.
Result<void> find_labels(const Dataset& data, const Message& message, ModelSpec& spec) {
  if (spec.net != NetKind::classifier || spec.output == OutputActivation::linear) return {};
  if (spec.output == OutputActivation::sigmoid) {
    spec.labels = collect_label_sets(data);
    if (!spec.labels.empty()) return {};
    return fail(Fault::argument, data.name + ": no text has a label, expected at least one label");
  }
  spec.labels = collect_labels(data);
  if (looks_multi_label(data))
    message(data.name +
            ": some labels look like lists, such as 'a,b', but each is one label here; "
            "--task multilabel learns several labels per text");
  return check_labels(data, spec.labels);
}

Result<void> read_files(const Job& job, ModelSpec& spec, const Message& message,
                        TrainingData& data) {
  for (const std::string& file : job.train) {
    message("reading " + file);
    SKIM_ASSIGN_OR_RETURN(Dataset part, load_examples(file, label_kind(spec)));
    report_dropped(part, message);
    append(data.train, std::move(part));
  }
  SKIM_RETURN_IF_ERROR(find_labels(data.train, message, spec));
  if (!job.dev.empty()) {
    SKIM_ASSIGN_OR_RETURN(Dataset dev, load_examples(job.dev, label_kind(spec)));
    report_dropped(dev, message);
    data.dev = std::move(dev);
  } else {
    data.dev = split_dev(data.train, kDevFraction, job.fit.seed);
    if (data.dev.examples.empty() || data.train.examples.empty())
      return fail(Fault::argument,
                  data.train.name + ": too few texts to split off dev; give a --dev file");
    message("no --dev file: " + std::to_string(data.dev.examples.size()) + " of " +
            std::to_string(data.dev.examples.size() + data.train.examples.size()) +
            " texts were split off");
  }
  subsample(data.train.examples, job.train_limit);
  return {};
}

// Appends the ids of the words that end a sentence; the tokenizer splits them off.
Result<void> find_sentence_ends(const Vocabulary& vocabulary, std::vector<int>& ends) {
  for (const std::string_view mark : {".", "!", "?"}) {
    const auto found = std::find(vocabulary.words.begin(), vocabulary.words.end(), mark);
    if (found != vocabulary.words.end())
      ends.push_back(static_cast<int>(found - vocabulary.words.begin()));
  }
  if (!ends.empty()) return {};
  return fail(
      Fault::argument,
      "the training texts have no sentence that ends in '.', '!' or '?' as a word of its own, "
      "which --jump-over sentences needs; use --jump-over words");
}

TokenizerKind tokenizer_named(TokenizerOption option) {
  return *enum_from_name<TokenizerKind>(option_value_name(option), "--tokenizer");
}

// The model whose tokenizer `auto` takes over, because its words or its positions in the text are
// used; empty when the training texts decide.
std::string model_with_tokenizer(const Job& job) {
  if (!job.start_from.empty()) return job.start_from;
  return job.spec.is_extractive() && !job.teachers.empty() ? job.teachers.front() : "";
}

Result<TokenizerKind> find_tokenizer(const Job& job, const std::vector<Example>& texts,
                                     const Message& message) {
  if (job.tokenizer != TokenizerOption::automatic) return tokenizer_named(job.tokenizer);
  TokenizerChoice choice;
  if (const std::string model = model_with_tokenizer(job); !model.empty()) {
    SKIM_ASSIGN_OR_RETURN(const ModelFile file, open_model_file(model));
    choice = {file.spec.tokenizer, "that of " + model};
  } else {
    choice = choose_tokenizer(texts);
  }
  message("tokenizer " + std::string(to_string(choice.kind)) + ": " + choice.reason);
  return choice.kind;
}

// Makes the words of cased or differently composed embeddings equal to those of the vocabulary; of
// several rows that become equal the first counts.
void normalize_words(PretrainedEmbeddings& embeddings, TokenizerKind tokenizer) {
  if (tokenizer != TokenizerKind::unicode) return;
  for (std::string& word : embeddings.words) word = normalize(word, tokenizer);
}

Result<void> build_vocabulary(const Job& job, const WordCounts& counts, const Message& message,
                              ModelSpec& spec, TrainingData& data) {
  SKIM_ASSIGN_OR_RETURN(std::optional<EmbeddingSource> source,
                        choose_embeddings(job, spec, counts, message));
  if (source) {
    normalize_words(source->embeddings, spec.tokenizer);
    data.embedding_source = source->name;
    data.embedding_checksum = source->checksum;
  }
  data.vocabulary = make_vocabulary(counts, source ? &source->embeddings : nullptr,
                                    {job.vocab_size, job.min_count, job.trainable_min_count,
                                     spec.embedding_size, job.fit.seed, spec.tokenizer});
  spec.vocab_size = static_cast<int>(data.vocabulary.words.size());
  spec.embedding_size = static_cast<int>(data.vocabulary.embedding_size);
  spec.reader.input_size = spec.input_size();
  if (job.jump_over == JumpUnit::sentences)
    return find_sentence_ends(data.vocabulary, spec.reader.jump.sentence_end_ids);
  return {};
}

// Frozen decisions must come from the initial model.
Result<void> check_frozen_decisions(const Job& job, const ModelSpec& spec,
                                    const InitialWeights& start) {
  if (job.fit.estimator != Estimator::none) return {};
  for (const TensorSpec& tensor : model_tensors(spec)) {
    if (tensor.name.find(".decision.") != std::string::npos &&
        start.weights.count(tensor.name) == 0)
      return fail(Fault::mismatch,
                  job.start_from + ": has no decisions to freeze, which --estimator none needs");
  }
  return {};
}

Result<void> load_start_model(const Job& job, const ModelSpec& spec, const Message& message,
                              TrainingData& data) {
  SKIM_ASSIGN_OR_RETURN(const ModelFile file, open_model_file(job.start_from));
  SKIM_ASSIGN_OR_RETURN(InitialWeights start, load_initial_weights(file, spec, data.vocabulary));
  SKIM_RETURN_IF_ERROR(check_frozen_decisions(job, spec, start));
  data.start = std::move(start);
  message("initialized " + std::to_string(data.start->weights.size()) + " of " +
          std::to_string(model_tensors(spec).size() - (spec.subwords.enabled() ? 2 : 1)) +
          " tensors and " + std::to_string(data.start->num_embeddings) + " of " +
          std::to_string(data.vocabulary.words.size()) + " embeddings from " + job.start_from);
  return {};
}

// Says how much of the training texts has pretrained embeddings.
void report_coverage(const WordCounts& counts, const Message& message, TrainingData& data) {
  if (data.embedding_source.empty()) return;
  std::unordered_set<std::string_view> covered;
  for (std::size_t i = 0; i < data.vocabulary.words.size(); ++i)
    if (data.vocabulary.pretrained[i] != 0) covered.insert(data.vocabulary.words[i]);
  data.coverage =
      measure_coverage(counts, [&](const std::string& word) { return covered.contains(word); });
  message("embeddings: " + describe_embeddings(data.embedding_source, data.coverage));
}

Result<std::vector<Item>> encode(const Dataset& texts, const Vocabulary& vocabulary,
                                 const ModelSpec& spec, std::size_t max_words,
                                 const Message& message) {
  SKIM_ASSIGN_OR_RETURN(Items made, encode_items(texts, vocabulary, spec, max_words));
  if (made.num_without_answer > 0)
    message(texts.name + ": " + std::to_string(made.num_without_answer) +
            " questions are ignored: no answer lies in the words that are kept");
  if (made.items.empty())
    return fail(Fault::argument, texts.name + ": no question has an answer in its text");
  return std::move(made.items);
}

// Appends crops of the texts, which have soft targets alone.
Result<void> add_distillation_crops(const Job& job, const ModelSpec& spec, const Message& message,
                                    TrainingData& data) {
  Dataset crops = make_distillation_crops(data.train, spec.tokenizer,
                                          {job.distillation_crops, job.max_words, job.fit.seed});
  if (crops.examples.empty()) return {};
  SKIM_ASSIGN_OR_RETURN(std::vector<Item> items,
                        encode(crops, data.vocabulary, spec, kUntruncated, message));
  for (Item& item : items) {
    item.labelled = false;
    item.example += data.train.examples.size();
    data.train_items.push_back(std::move(item));
  }
  append(data.train, std::move(crops));
  return {};
}

// Standardizes the numbers of train and dev, and the last layer of a model to start from.
Result<void> standardize_targets(TrainingData& data) {
  SKIM_ASSIGN_OR_RETURN(data.target_scale, measure_target_scale(data.train));
  standardize(data.target_scale, data.train_items);
  standardize(data.target_scale, data.dev_items);
  if (data.start) unfold_scale(data.target_scale, data.start->weights);
  return {};
}

Result<void> weigh_classes(const Job& job, const ModelSpec& spec, TrainingData& data) {
  SKIM_ASSIGN_OR_RETURN(std::vector<float> weights,
                        parse_class_weights(job.class_weights, spec, data.train_items));
  if (spec.output == OutputActivation::sigmoid)
    data.label_weights = std::move(weights);
  else
    apply_class_weights(weights, data.train_items);
  return {};
}

// The soft targets of the first `words` words of a text, as its first and as its last.
Result<std::vector<float>> truncate_soft_targets(const std::vector<float>& whole,
                                                 std::size_t words) {
  const std::size_t all = whole.size() / 2;
  if (words > all)
    return fail(
        Fault::mismatch,
        "a teacher tokenizes a text into fewer words than the student; use a teacher with the "
        "same tokenizer");
  std::vector<float> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(words));
  const auto last = whole.begin() + static_cast<std::ptrdiff_t>(all);
  part.insert(part.end(), last, last + static_cast<std::ptrdiff_t>(words));
  return part;
}

// Sets the soft targets of all items that have none. The teacher reads whole texts.
Result<void> distill(const Job& job, const ModelSpec& spec, const Message& message,
                     TrainingData& data) {
  const std::size_t texts = data.train_items.size();
  SKIM_RETURN_IF_ERROR(add_distillation_crops(job, spec, message, data));
  const std::size_t crops = data.train_items.size() - texts;
  message("computing soft targets of " + std::to_string(texts) + " texts" +
          (crops == 0 ? "" : " and " + std::to_string(crops) + " crops"));
  SKIM_ASSIGN_OR_RETURN(SoftTargets soft_targets, job.teacher(data.train, spec));
  for (Item& item : data.train_items) {
    if (!item.soft_targets.empty()) continue;  // the file has them
    const std::vector<float>& target = soft_targets[item.example];
    if (!spec.is_extractive()) {
      item.soft_targets = target;
      if (spec.output == OutputActivation::linear) {
        const TargetScale& scale = data.target_scale;
        for (float& value : item.soft_targets)
          value = static_cast<float>((static_cast<double>(value) - scale.mean) / scale.scale);
      }
      continue;
    }
    SKIM_ASSIGN_OR_RETURN(item.soft_targets, truncate_soft_targets(target, item.words.size()));
  }
  return {};
}

}  // namespace

Result<TrainingData> load_training_data(const Job& job, ModelSpec& spec,
                                        const std::function<void(const std::string&)>& message) {
  TrainingData data;
  SKIM_RETURN_IF_ERROR(read_files(job, spec, message, data));
  SKIM_RETURN_IF_ERROR(resolve_soft_labels(spec.labels, label_kind(spec), data.train));
  SKIM_RETURN_IF_ERROR(resolve_soft_labels(spec.labels, label_kind(spec), data.dev));
  SKIM_ASSIGN_OR_RETURN(spec.tokenizer, find_tokenizer(job, data.train.examples, message));
  const WordCounts counts = count_words(data.train, spec.tokenizer);
  SKIM_RETURN_IF_ERROR(build_vocabulary(job, counts, message, spec, data));
  if (!job.start_from.empty()) {
    SKIM_RETURN_IF_ERROR(load_start_model(job, spec, message, data));
    if (data.embedding_source.empty()) data.embedding_source = job.start_from;
  }
  report_coverage(counts, message, data);
  if (spec.subwords.enabled()) {
    data.vocabulary.subwords =
        std::make_shared<SubwordIndex>(spec.subwords, data.vocabulary.words, spec.tokenizer);
    init_subwords(data.vocabulary, data.start ? data.start->subwords : std::vector<float>(),
                  job.fit.seed);
  }
  // Dev is not truncated, like texts at inference time.
  const std::size_t max_words = job.fit.crop_size > 0 ? kUntruncated : job.max_words;
  SKIM_ASSIGN_OR_RETURN(data.train_items,
                        encode(data.train, data.vocabulary, spec, max_words, message));
  SKIM_ASSIGN_OR_RETURN(data.dev_items,
                        encode(data.dev, data.vocabulary, spec, kUntruncated, message));
  if (spec.output == OutputActivation::linear) {
    SKIM_RETURN_IF_ERROR(standardize_targets(data));
  }
  if (!job.class_weights.empty()) {
    SKIM_RETURN_IF_ERROR(weigh_classes(job, spec, data));
  }
  if (job.teacher) {
    SKIM_RETURN_IF_ERROR(distill(job, spec, message, data));
  }
  data.train = {};  // encoded in train_items; frees its memory
  return data;
}

}  // namespace skim::train

// Datasets encoded for training: word ids, label indices and the vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "text/embeddings.h"
#include "train/subword_index.h"

namespace skim::train {

// Spellings of words (normalize.h), for nets with a character CNN.
struct Spellings {
  std::vector<std::string> chars;  // char_cnn_bytes() of each
  std::vector<std::int32_t> ids;   // the word id of each
};

// One encoded example.
struct Item {
  // A span of the text: the indices of its first and last word.
  struct Answer {
    std::int64_t first = 0, last = 0;
  };

  // At least one: an empty text is one unknown word. The words of the question follow for cloze
  // nets, which read both as one sequence.
  std::vector<std::int32_t> words;
  std::int64_t question_length = 0;  // how many of the last words belong to the question
  std::int64_t label = 0;  // index of the label, the choice or the first answer's first word
  std::vector<std::int32_t> labels;    // of multi-label nets, increasing
  std::size_t num_labels = 0;          // that there are, of multi-label nets
  std::optional<float> value;          // of regression nets
  float weight = 1;                    // of the loss
  bool labelled = true;                // else there are soft targets alone
  std::size_t example = 0;             // index in the data set
  std::vector<float> soft_targets;     // as in SoftTargets; empty without a teacher
  std::vector<std::int32_t> question;  // of extractive nets; at least one word
  std::vector<std::vector<std::int32_t>> choices;
  std::vector<Answer> answers;  // of extractive nets
  // Of nets with a character CNN: the index of each word's spelling.
  std::shared_ptr<const Spellings> spellings;
  std::vector<std::int32_t> text_spellings, question_spellings;
};

struct Vocabulary {
  std::vector<std::string> words;  // words[0] stands for unknown words
  std::int64_t embedding_size = 0;
  std::vector<float> embeddings;    // words.size() x embedding_size
  std::vector<char> pretrained;     // per word: whether its embedding came from a file
  std::size_t num_trainable = 0;    // the first so many words occur often enough to be trained
  std::vector<std::size_t> counts;  // of the first words, which the training texts contain
  // With subwords; shared because encoding texts adds their unknown words. The initial vectors of
  // n-grams are [num_buckets, embedding_size].
  std::shared_ptr<SubwordIndex> subwords;
  std::vector<float> subword_vectors;
};

// The normalized words of texts with their counts, most frequent first.
using WordCounts = std::vector<std::pair<std::string, std::size_t>>;
WordCounts count_words(const Dataset& data, TokenizerKind tokenizer);

// How much of a training text has pretrained embeddings.
struct Coverage {
  std::size_t words = 0, all_words = 0;    // distinct
  std::size_t tokens = 0, all_tokens = 0;  // occurrences

  double token_share() const {
    return static_cast<double>(tokens) / static_cast<double>(std::max<std::size_t>(all_tokens, 1));
  }
};
// `covers(word)`: whether a word has one.
Coverage measure_coverage(const WordCounts& counts,
                          const std::function<bool(const std::string&)>& covers);

struct VocabularyOptions {
  std::size_t max_size = 60'000;
  std::size_t min_count = 2;            // of a word without a pretrained embedding
  std::size_t trainable_min_count = 1;  // of a word whose embedding is trained
  std::int64_t embedding_size = 100;    // without pretrained embeddings
  std::uint64_t seed = 1;
  TokenizerKind tokenizer = TokenizerKind::english;  // its normalization of words
};

// The words of the training texts, most frequent first, then those of the pretrained embeddings up
// to the limit: texts at inference time hold words that the training texts do not. Words without a
// pretrained embedding get small random values.
Vocabulary make_vocabulary(const WordCounts& counts, const PretrainedEmbeddings* embeddings,
                           const VocabularyOptions& options);

struct Items {
  std::vector<Item> items;
  std::size_t num_without_answer = 0;  // dropped: no answer lies in the words that are kept
};

// Checks that the examples fit the task: answers for extractive nets, neither choices nor answers
// for a classifier.
Result<void> check_task(const Dataset& data, NetKind net);

// Encodes examples, truncated to `max_words`: the first words of a text, the last ones for cloze
// nets.
Result<Items> encode_items(const Dataset& data, const Vocabulary& vocabulary, const ModelSpec& spec,
                           std::size_t max_words);

// The log-odds of the frequency of each label in items of a multi-label net.
std::vector<float> label_log_odds(const std::vector<Item>& items);

// Moves a random fraction of the examples out of `data`, to serve as dev. Questions about one text
// stay together.
Dataset split_dev(Dataset& data, double fraction, std::uint64_t seed);

}  // namespace skim::train

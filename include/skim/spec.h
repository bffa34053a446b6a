// The architecture of a network as plain data. Model files store it as JSON (docs/file-format.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace skim {

// The task of a network.
enum class NetKind {
  classifier,  // assigns one of its labels to a text
  cloze,       // picks the choice that fills the gap in a question about a text
  span,        // extracts the answer to a question from a text (LSTM+Attention in the paper)
  bidaf,       // extracts the answer with a character CNN and attention in both directions
               // (BiDAF, Seo et al. 2017)
};

enum class Cell { lstm, gru, rnn };

// How a reader chooses the number of hidden units that each word updates.
enum class ReaderKind {
  dense,      // all units at every word: an ordinary recurrent layer
  skim,       // all units or the first few of them (Skim-RNN, Seo et al. 2018; "the paper")
  lstm_jump,  // reads some words, then jumps over some (LSTM-Jump, Yu et al. 2017)
  skip_rnn,   // all units or none; the length of a skip is known when it starts (Skip RNN, Campos
              // et al. 2018)
  vcrnn,      // any number of units from 0 to all (VCRNN, Jernite et al. 2017)
};

// The part of the hidden state that a small cell takes as input.
enum class SmallInput {
  prefix,  // the units that it updates
  full,    // all units
};

// The input of the read/skim decision.
enum class Decision {
  linear,       // [x; h], equation 1 of the paper
  linear_cell,  // [x; h; c], as in the authors' code; LSTM only
  dot,          // the dot product of x and h, as remarked in the paper
};

enum class Pooling { last, max, mean, attention };

// What a classifier makes of its logits.
enum class OutputActivation {
  softmax,  // one label per text: probabilities that sum to 1
  sigmoid,  // any number of labels per text: one probability per label
  linear,   // no labels but a number: regression
};

// Storage of the embeddings and of the big cells' matrices, and arithmetic of the big cells'
// recurrent product U h. Decisions, small cells, input projections, gates, pooling and heads are
// always f32, from the stored values.
//   f32   stored and computed in f32.
//   bf16  stored with 8 significant bits. U h: weights as 16-bit integers with one scale per row,
//         the hidden state rounded to 13 bits, exact integer sums, then scaled to f32.
//   int8  stored as -127..127 with one f32 scale per row. U h: the hidden state rounded to 7 bits,
//         exact integer sums, then scaled to f32. The input projection of a word for the big cell
//         is computed in f32 and rounded to 16 bits, relative to its largest entry.
enum class WeightType { f32, bf16, int8 };

// How a text is split into words.
enum class TokenizerKind {
  english,     // separates punctuation and contractions such as n't
  unicode,     // any language: Unicode word boundaries; Han, kana, Thai and the like by character
  whitespace,  // splits at white space only
};

// Jump schedule of an lstm_jump reader. It reads `tokens_per_jump` words, then jumps up to
// `max_jump` words ahead or stops reading. After `max_jumps` jumps it reads `tokens_per_jump` words
// more and stops. A question that follows the text is read in full.
struct JumpSpec {
  int tokens_per_jump = 20;  // R in its paper
  int max_jump = 40;         // K in its paper
  int max_jumps = 5;         // N in its paper
  // Ids of the words that end a sentence. Unless empty, tokens_per_jump and max_jump count
  // sentences instead of words.
  std::vector<int> sentence_end_ids = {};
  bool operator==(const JumpSpec&) const = default;
};

// One recurrent layer in one direction.
struct ReaderSpec {
  ReaderKind kind = ReaderKind::skim;
  Cell cell = Cell::lstm;
  int input_size = 100;
  int hidden_size = 100;  // d in the paper
  // d' in the paper: hidden units updated by a skim, one size per small cell, in decreasing order.
  // Size 0 skips the word. Empty unless kind is skim.
  std::vector<int> skim_sizes = {10};
  SmallInput small_input = SmallInput::prefix;
  Decision decision = Decision::linear;
  JumpSpec jump = {};  // lstm_jump only

  // k in the paper: the number of cells to choose from. Level 0 reads, the others skim.
  int levels() const { return 1 + static_cast<int>(skim_sizes.size()); }
  // The number of hidden units that `level` updates.
  int width(int level) const {
    return level == 0 ? hidden_size : skim_sizes[static_cast<std::size_t>(level) - 1];
  }
  // The minimum number of hidden units that a word updates.
  int min_width() const {
    if (!skim_sizes.empty()) return skim_sizes.back();
    return kind == ReaderKind::dense ? hidden_size : 0;
  }
  // The number of leading input entries that a vcrnn reader uses to update `width` units.
  int input_prefix(int width) const { return (width * input_size + hidden_size - 1) / hidden_size; }

  bool operator==(const ReaderSpec&) const = default;
};

// A stack of recurrent layers of one kind and hidden size.
struct StackSpec {
  std::string name;   // prefix of the names of its tensors
  ReaderSpec reader;  // of the first layer; the input of a higher layer is the output of the lower
  int num_layers = 1;
  bool bidirectional = false;

  int directions() const { return bidirectional ? 2 : 1; }
  // Size of a layer's output per word, the directions concatenated.
  int output_size() const { return reader.hidden_size * directions(); }
  ReaderSpec layer_reader(int layer) const {
    ReaderSpec spec = reader;
    if (layer > 0) spec.input_size = output_size();
    return spec;
  }
};

// Character CNN: embeds the bytes of a word, convolves them and takes the maximum over the word of
// each filter.
struct CharCnnSpec {
  int embedding_size = 8;
  int num_filters = 100;
  int kernel_size = 5;  // in bytes
  bool operator==(const CharCnnSpec&) const = default;
};

// Character n-grams, whose vectors compose the embeddings of words that the vocabulary lacks
// (docs/file-format.md).
struct SubwordSpec {
  int min_length = 3;  // of an n-gram, in characters, the marks at both ends of a word included
  int max_length = 6;
  int num_buckets = 0;  // vectors, which n-grams with equal hashes share; 0 for no subwords

  bool enabled() const { return num_buckets > 0; }
  bool operator==(const SubwordSpec&) const = default;
};

// A whole network.
struct ModelSpec {
  NetKind net = NetKind::classifier;
  TokenizerKind tokenizer = TokenizerKind::english;
  int vocab_size = 0;  // words with an embedding; id 0 stands for all unknown words
  int embedding_size = 100;
  ReaderSpec reader;  // of every layer and direction; stacks() sets the input size of each
  int num_layers = 1;
  bool bidirectional = false;
  Pooling pooling = Pooling::last;
  OutputActivation output = OutputActivation::softmax;  // softmax unless a classifier
  WeightType weight_type = WeightType::f32;  // of big cells and embeddings; all else is f32
  std::vector<std::string> labels;           // classifier only; none if output is linear
  CharCnnSpec char_cnn = {};                 // bidaf only
  SubwordSpec subwords = {};

  int directions() const { return bidirectional ? 2 : 1; }
  // Size of a layer's output per word, the directions concatenated.
  int output_size() const { return reader.hidden_size * directions(); }
  // The number of logits of a classifier.
  std::size_t num_logits() const { return output == OutputActivation::linear ? 1 : labels.size(); }
  // Whether an answer is a span of the text.
  bool is_extractive() const { return net == NetKind::span || net == NetKind::bidaf; }
  // Whether an answer is one of the labels and the scores are their softmax. Only such scores have
  // a temperature and a confidence, the score of the answer.
  bool is_softmax_classifier() const {
    return net == NetKind::classifier && output == OutputActivation::softmax;
  }
  // Whether the input of the first layer is the word embedding alone. A span net adds the attended
  // question vector and its product with the embedding, a bidaf net the output of the character
  // CNN.
  bool reads_embeddings() const { return net == NetKind::classifier || net == NetKind::cloze; }
  // Input size of the first layer.
  int input_size() const {
    if (net == NetKind::bidaf) return embedding_size + char_cnn.num_filters;
    return net == NetKind::span ? 3 * embedding_size : embedding_size;
  }
  // All stacks of readers. A bidaf net has three: the first reads text and question, the second the
  // output of the attention, the third predicts the end of the answer. Other nets have one.
  std::vector<StackSpec> stacks() const {
    const auto stack = [this](const char* name, int input, int layers) {
      StackSpec made{name, reader, layers, bidirectional};
      made.reader.input_size = input;
      return made;
    };
    if (net != NetKind::bidaf) return {stack("reader", input_size(), num_layers)};
    return {stack("contextual", input_size(), 1), stack("modelling", 4 * output_size(), num_layers),
            stack("output", output_size(), 1)};
  }
  // The readers of `layer` (from 0) of the first stack.
  ReaderSpec layer_reader(int layer) const { return stacks().front().layer_reader(layer); }

  bool operator==(const ModelSpec&) const = default;
};

}  // namespace skim

// The description of a network: plain data, no behaviour. The model file stores it as JSON.
#pragma once

#include <string>
#include <vector>

namespace skim {

// What a network makes of what it reads.
enum class NetKind {
  classifier,  // which of its labels fits the text
  cloze,       // which of the choices fits the gap in the question
  span,        // the piece of the text that answers the question (LSTM+Attention in the paper)
  bidaf,       // likewise, with letters, and attention both ways (BiDAF, Seo et al. 2017)
};

enum class Cell { lstm, gru, rnn };
enum class ReaderKind {
  full,  // every word with the whole cell
  skim,  // each word with the big cell or a small one (Skim-RNN, the paper)
  jump,  // a run of words, then a jump over some (LSTM-Jump, Yu et al. 2017)
  skip,  // a word or nothing; how long the pause lasts is known when it begins (Skip RNN, Campos et
         // al. 2018)
  vary,  // as many units, from 0 to all, as each word needs (VCRNN, Jernite et al. 2017)
};

// What a small cell sees of the hidden state: its own head, or all of it.
enum class SmallSees { head, all };

// What the choice between reading and skimming is computed from.
enum class Decision {
  linear,       // [x; h], the paper's equation 1
  linear_cell,  // [x; h; c], as the authors' code does; LSTM only
  dot,          // the dot product of x and h, the paper's remark
};

enum class Pooling { last, max, mean, attention };
enum class WeightType { f32, bf16, int8 };

// How text becomes words: English rules (punctuation and n't apart), or split at white space only.
enum class Tokenizer { english, whitespace };

// How a jump reader moves. It reads `run` words, then jumps up to `reach` words on, or stops for
// good; after `most` jumps the next run is its last. A question after the text is read whole.
struct JumpSpec {
  int run = 20;    // R in its paper
  int reach = 40;  // K
  int most = 5;    // N
  // Words of the vocabulary that end a sentence. With any, run and reach count sentences.
  std::vector<int> ends = {};
  bool operator==(const JumpSpec&) const = default;
};

struct ReaderSpec {
  ReaderKind kind = ReaderKind::skim;
  Cell cell = Cell::lstm;
  int input = 100;   // width of the rows it reads
  int hidden = 100;  // d in the paper: width of the state
  // d' in the paper: widths of the smaller cells, falling; 0 skips. Empty unless it skims.
  std::vector<int> small = {10};
  SmallSees small_sees = SmallSees::head;
  Decision decision = Decision::linear;
  JumpSpec jump = {};  // of a jump reader

  // k in the paper: how many ways there are to treat a word.
  int levels() const { return 1 + static_cast<int>(small.size()); }
  // The width of the state that level 0 (read), 1 (skim), 2 ... updates.
  int width(int level) const {
    return level == 0 ? hidden : small[static_cast<std::size_t>(level) - 1];
  }
  // The fewest units that a word may update.
  int least() const {
    if (!small.empty()) return small.back();
    return kind == ReaderKind::full ? hidden : 0;
  }
  // Of a vary reader that updates `width` units: the entries of its input that it looks at.
  int inputs_for(int width) const { return (width * input + hidden - 1) / hidden; }

  bool operator==(const ReaderSpec&) const = default;
};

// Readers on top of each other, all of one kind and size.
struct StackSpec {
  std::string name;   // what the names of its readers' tensors begin with
  ReaderSpec reader;  // of the first layer; upper layers read the rows of the layer below
  int layers = 1;
  bool bidirectional = false;

  int directions() const { return bidirectional ? 2 : 1; }
  // Width of one output row of a layer: both directions side by side.
  int row_width() const { return reader.hidden * directions(); }
  ReaderSpec reader_of(int layer) const {
    ReaderSpec spec = reader;
    if (layer > 0) spec.input = row_width();
    return spec;
  }
};

// How the letters of a word become numbers: `filters` of them, each the best match of a pattern of
// `window` letters; letters are bytes, of `width` numbers each.
struct LetterSpec {
  int width = 8;
  int filters = 100;
  int window = 5;
  bool operator==(const LetterSpec&) const = default;
};

struct ModelSpec {
  NetKind net = NetKind::classifier;
  Tokenizer tokenizer = Tokenizer::english;
  int vocabulary = 0;  // number of words that have a vector; id 0 stands for unknown words
  int word_width = 100;
  ReaderSpec reader;  // of every layer and direction, except that upper layers read the rows of the
                      // layer below
  int layers = 1;
  bool bidirectional = false;
  Pooling pooling = Pooling::last;
  WeightType weights = WeightType::f32;  // of the big cells and the word vectors; all else is f32
  std::vector<std::string> labels;       // of a classifier
  LetterSpec letters = {};               // of a bidaf net

  int directions() const { return bidirectional ? 2 : 1; }
  // Width of one output row of a layer: both directions side by side.
  int row_width() const { return reader.hidden * directions(); }
  // Whether answers are pieces of the text.
  bool finds_pieces() const { return net == NetKind::span || net == NetKind::bidaf; }
  // Whether the first layer reads words alone. That of a span net reads rows: a word, what of the
  // question matters to it, and the product of the two. That of a bidaf net reads words and
  // letters.
  bool reads_words() const { return net == NetKind::classifier || net == NetKind::cloze; }
  int input_width() const {
    if (net == NetKind::bidaf) return word_width + letters.filters;
    return net == NetKind::span ? 3 * word_width : word_width;
  }
  // All readers. Most nets have one stack; a bidaf net reads text and question with the first,
  // their meeting with the second, and looks for the answer's end with the third.
  std::vector<StackSpec> stacks() const {
    const auto stack = [this](const char* name, int input, int count) {
      StackSpec made{name, reader, count, bidirectional};
      made.reader.input = input;
      return made;
    };
    if (net != NetKind::bidaf) return {stack("reader", input_width(), layers)};
    return {stack("contextual", input_width(), 1), stack("modelling", 4 * row_width(), layers),
            stack("output", row_width(), 1)};
  }
  // The spec of the readers of the first stack's `layer`, counted from 0.
  ReaderSpec reader_of(int layer) const { return stacks().front().reader_of(layer); }

  bool operator==(const ModelSpec&) const = default;
};

}  // namespace skim

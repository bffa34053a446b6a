#include "spec/params.h"

#include <set>
#include <string_view>

#include "base/result_macros.h"

namespace skim {
namespace {

constexpr int kMaxHiddenSize = 4096;  // fits Step::width
constexpr int kMaxInputSize = 65536;
constexpr std::size_t kMaxSkimSizes = 7;
constexpr int kMaxJump = 4096;
constexpr std::size_t kMaxSentenceEnds = 16;
constexpr int kMaxLayers = 16;
constexpr int kMaxVocabSize = 100'000'000;
constexpr std::size_t kMaxLabels = 100'000;
constexpr int kMaxSubwordLength = 16;

std::size_t to_size(int value) { return static_cast<std::size_t>(value); }

struct CellShape {
  Cell cell;
  int width;
  int input_size;
  int state_size;  // entries of the hidden state that it takes as input
};

void add_cell(std::vector<TensorSpec>& list, const std::string& name, CellShape shape,
              bool quantized) {
  const std::size_t rows = gates(shape.cell) * to_size(shape.width);
  list.push_back({name + ".weight_ih", {rows, to_size(shape.input_size)}, quantized});
  list.push_back({name + ".weight_hh", {rows, to_size(shape.state_size)}, quantized});
  list.push_back({name + ".bias", {rows}, false});
  if (shape.cell == Cell::gru) list.push_back({name + ".bias_hn", {to_size(shape.width)}, false});
}

void add_decision(std::vector<TensorSpec>& list, const ReaderSpec& spec) {
  const std::size_t levels = to_size(spec.levels());
  if (spec.decision == Decision::dot) {
    list.push_back({"decision.scale", {levels}, false});
  } else {
    list.push_back({"decision.weight_ih", {levels, to_size(spec.input_size)}, false});
    list.push_back({"decision.weight_hh", {levels, to_size(spec.hidden_size)}, false});
  }
  if (spec.decision == Decision::linear_cell) {
    list.push_back({"decision.weight_ch", {levels, to_size(spec.hidden_size)}, false});
  }
  list.push_back({"decision.bias", {levels}, false});
}

void add_skim(std::vector<TensorSpec>& list, const ReaderSpec& spec) {
  for (int level = 1; level < spec.levels(); ++level) {
    const int width = spec.width(level);
    if (width == 0) continue;
    const int state_size = spec.small_input == SmallInput::prefix ? width : spec.hidden_size;
    add_cell(list, "small." + std::to_string(level),
             {spec.cell, width, spec.input_size, state_size}, false);
  }
  add_decision(list, spec);
}

void add_bidaf(std::vector<TensorSpec>& list, const ModelSpec& spec) {
  const CharCnnSpec& char_cnn = spec.char_cnn;
  const std::size_t filters = to_size(char_cnn.num_filters),
                    width = to_size(char_cnn.embedding_size);
  list.push_back({"char_cnn.embedding", {256, width}, false});
  list.push_back({"char_cnn.weight", {filters, to_size(char_cnn.kernel_size) * width}, false});
  list.push_back({"char_cnn.bias", {filters}, false});
  const std::size_t embedded = to_size(spec.input_size());
  for (const char* layer : {"highway.0", "highway.1"}) {
    for (const char* part : {"", ".gate"}) {
      const std::string name = std::string(layer) + part;
      list.push_back({name + ".weight", {embedded, embedded}, false});
      list.push_back({name + ".bias", {embedded}, false});
    }
  }
  const std::size_t row = to_size(spec.output_size());
  for (const char* name : {"attention.context", "attention.query", "attention.product"})
    list.push_back({name, {row}, false});
  for (const char* name : {"start.weight", "end.weight"}) list.push_back({name, {5 * row}, false});
}

Result<void> in_range(const std::string& field, long long value, long long low, long long high) {
  if (value >= low && value <= high) return {};
  return fail(Fault::format, field + " is " + std::to_string(value) + ", it must be from " +
                                 std::to_string(low) + " to " + std::to_string(high));
}

Result<void> check_skim_sizes(const ReaderSpec& spec) {
  if (spec.kind != ReaderKind::skim) {
    if (spec.skim_sizes.empty()) return {};
    return fail(Fault::format, "reader.skim_sizes must be empty unless reader.kind is skim");
  }
  if (spec.skim_sizes.empty()) {
    return fail(Fault::format, "reader.skim_sizes is empty, a skim reader needs at least one size");
  }
  if (spec.skim_sizes.size() > kMaxSkimSizes) {
    return fail(Fault::format, "reader.skim_sizes has " + std::to_string(spec.skim_sizes.size()) +
                                   " sizes, at most " + std::to_string(kMaxSkimSizes) +
                                   " are allowed");
  }
  int wider = spec.hidden_size;
  for (const int width : spec.skim_sizes) {
    if (width < 0 || width >= wider) {
      return fail(Fault::format,
                  "reader.skim_sizes holds " + std::to_string(width) + " after " +
                      std::to_string(wider) +
                      ", the sizes must decrease from reader.hidden_size and be at least 0");
    }
    wider = width;
  }
  return {};
}

Result<void> check_jump(const ReaderSpec& spec) {
  if (spec.kind != ReaderKind::lstm_jump) return {};
  const JumpSpec& jump = spec.jump;
  SKIM_RETURN_IF_ERROR(in_range("reader.jump.tokens_per_jump", jump.tokens_per_jump, 1, kMaxJump));
  SKIM_RETURN_IF_ERROR(in_range("reader.jump.max_jump", jump.max_jump, 1, kMaxJump));
  return in_range("reader.jump.max_jumps", jump.max_jumps, 0, 1'000'000);
}

// Sentence ends are recognised by word id, in the order of the text.
Result<void> check_sentence_ends(const ModelSpec& spec) {
  const std::vector<int>& ends = spec.reader.jump.sentence_end_ids;
  if (spec.reader.kind != ReaderKind::lstm_jump || ends.empty()) return {};
  if (ends.size() > kMaxSentenceEnds)
    return fail(Fault::format, "reader.jump.sentence_end_ids has " + std::to_string(ends.size()) +
                                   " ids, at most " + std::to_string(kMaxSentenceEnds) +
                                   " are allowed");
  if (!spec.reads_embeddings() || spec.num_layers != 1 || spec.bidirectional)
    return fail(Fault::format,
                "reader.jump.sentence_end_ids: jumps over sentences need a single unidirectional "
                "layer that "
                "reads embeddings");
  for (const int word : ends) {
    SKIM_RETURN_IF_ERROR(in_range("reader.jump.sentence_end_ids", word, 0, spec.vocab_size - 1));
  }
  return {};
}

Result<void> check_char_cnn(const ModelSpec& spec) {
  if (spec.net != NetKind::bidaf) return {};
  const CharCnnSpec& char_cnn = spec.char_cnn;
  SKIM_RETURN_IF_ERROR(in_range("char_cnn.embedding_size", char_cnn.embedding_size, 1, 1024));
  SKIM_RETURN_IF_ERROR(in_range("char_cnn.num_filters", char_cnn.num_filters, 1, 4096));
  return in_range("char_cnn.kernel_size", char_cnn.kernel_size, 1, 32);
}

Result<void> check_subwords(const SubwordSpec& subwords) {
  SKIM_RETURN_IF_ERROR(in_range("subwords.num_buckets", subwords.num_buckets, 0, kMaxVocabSize));
  SKIM_RETURN_IF_ERROR(in_range("subwords.min_length", subwords.min_length, 1, kMaxSubwordLength));
  return in_range("subwords.max_length", subwords.max_length, subwords.min_length,
                  kMaxSubwordLength);
}

Result<void> check_output(const ModelSpec& spec) {
  if (spec.output == OutputActivation::softmax || spec.net == NetKind::classifier) return {};
  return fail(Fault::format, "output must be softmax unless net is classifier");
}

Result<void> check_labels(const ModelSpec& spec) {
  const std::vector<std::string>& labels = spec.labels;
  if (spec.net != NetKind::classifier) {
    if (labels.empty()) return {};
    return fail(Fault::format, "labels must be empty unless net is classifier");
  }
  if (spec.output == OutputActivation::linear) {
    if (labels.empty()) return {};
    return fail(Fault::format, "labels must be empty when output is linear, which is a number");
  }
  if (labels.empty())
    return fail(Fault::format, "labels is empty, a classifier needs at least one label");
  if (labels.size() > kMaxLabels) {
    return fail(Fault::format, "labels has " + std::to_string(labels.size()) +
                                   " entries, at most " + std::to_string(kMaxLabels) +
                                   " are allowed");
  }
  std::set<std::string_view> seen;
  for (const std::string& label : labels) {
    if (label.empty()) return fail(Fault::format, "labels holds an empty label");
    if (!seen.insert(label).second) {
      return fail(Fault::format, "labels holds '" + label + "' twice");
    }
  }
  return {};
}

}  // namespace

std::size_t gates(Cell cell) {
  switch (cell) {
    case Cell::lstm:
      return 4;
    case Cell::gru:
      return 3;
    case Cell::rnn:
      break;
  }
  return 1;
}

std::vector<TensorSpec> reader_tensors(const ReaderSpec& spec) {
  std::vector<TensorSpec> list;
  add_cell(list, "big", {spec.cell, spec.hidden_size, spec.input_size, spec.hidden_size}, true);
  switch (spec.kind) {
    case ReaderKind::dense:
      break;
    case ReaderKind::skim:
      add_skim(list, spec);
      break;
    case ReaderKind::lstm_jump:
      list.push_back(
          {"jump.weight", {to_size(spec.jump.max_jump) + 1, to_size(spec.hidden_size)}, false});
      list.push_back({"jump.bias", {to_size(spec.jump.max_jump) + 1}, false});
      break;
    case ReaderKind::skip_rnn:
      list.push_back({"update.weight", {1, to_size(spec.hidden_size)}, false});
      list.push_back({"update.bias", {1}, false});
      break;
    case ReaderKind::vcrnn:
      list.push_back({"scheduler.weight_ih", {1, to_size(spec.input_size)}, false});
      list.push_back({"scheduler.weight_hh", {1, to_size(spec.hidden_size)}, false});
      list.push_back({"scheduler.bias", {1}, false});
      break;
  }
  return list;
}

std::string reader_prefix(const std::string& stack, int layer, bool backward) {
  return stack + "." + std::to_string(layer) + (backward ? ".backward." : ".forward.");
}

std::string reader_prefix(int layer, bool backward) {
  return reader_prefix("reader", layer, backward);
}

namespace {

// Adds the passes of one stack over the text or the question. `name` replaces the name of the stack
// in the names of the passes.
void add_passes(std::vector<PassSpec>& list, const StackSpec& stack, const ModelSpec& spec,
                const std::string& name, bool over_question) {
  for (int layer = 0; layer < stack.num_layers; ++layer) {
    for (int direction = 0; direction < stack.directions(); ++direction) {
      const bool backward = direction == 1;
      const std::string place = reader_prefix(name, layer, backward);
      const std::size_t begin = name.empty() ? 1 : 0;
      list.push_back({place.substr(begin, place.size() - 1 - begin),
                      reader_prefix(stack.name, layer, backward), stack.layer_reader(layer),
                      backward, layer == 0 && spec.reads_embeddings(), over_question});
    }
  }
}

}  // namespace

std::vector<PassSpec> model_passes(const ModelSpec& spec) {
  std::vector<PassSpec> list;
  const std::vector<StackSpec> stacks = spec.stacks();
  if (stacks.size() == 1) {
    add_passes(list, stacks[0], spec, "", false);
    return list;
  }
  for (const StackSpec& stack : stacks) {
    add_passes(list, stack, spec, stack.name, false);
    if (&stack == &stacks.front()) add_passes(list, stack, spec, "question", true);
  }
  return list;
}

std::vector<TensorSpec> model_tensors(const ModelSpec& spec) {
  std::vector<TensorSpec> list;
  list.push_back(
      {"embedding.weight", {to_size(spec.vocab_size), to_size(spec.embedding_size)}, true});
  if (spec.subwords.enabled())
    list.push_back({"subword.weight",
                    {to_size(spec.subwords.num_buckets), to_size(spec.embedding_size)},
                    true});
  for (const PassSpec& pass : model_passes(spec)) {
    if (pass.over_question) continue;  // shares the tensors of the text's readers
    for (const TensorSpec& tensor : reader_tensors(pass.reader)) {
      list.push_back({pass.prefix + tensor.name, tensor.shape, tensor.quantized});
    }
  }
  const std::size_t row = to_size(spec.output_size());
  const std::size_t word = to_size(spec.embedding_size);
  switch (spec.net) {
    case NetKind::classifier:
      if (spec.pooling == Pooling::attention) list.push_back({"pooling.weight", {row}, false});
      list.push_back({"head.weight", {spec.num_logits(), row}, false});
      list.push_back({"head.bias", {spec.num_logits()}, false});
      break;
    case NetKind::cloze:
      list.push_back({"choice.weight", {word, row}, false});
      list.push_back({"choice.bias", {word}, false});
      break;
    case NetKind::span:
      list.push_back({"attention.query", {word}, false});
      list.push_back({"attention.product", {word}, false});
      list.push_back({"start.weight", {row}, false});
      list.push_back({"end.weight", {row}, false});
      break;
    case NetKind::bidaf:
      add_bidaf(list, spec);
      break;
  }
  return list;
}

Result<void> check(const ReaderSpec& spec) {
  SKIM_RETURN_IF_ERROR(in_range("reader.input_size", spec.input_size, 1, kMaxInputSize));
  SKIM_RETURN_IF_ERROR(in_range("reader.hidden_size", spec.hidden_size, 1, kMaxHiddenSize));
  SKIM_RETURN_IF_ERROR(check_skim_sizes(spec));
  SKIM_RETURN_IF_ERROR(check_jump(spec));
  const bool needs_cell = spec.kind == ReaderKind::skim && spec.decision == Decision::linear_cell;
  if (!needs_cell || spec.cell == Cell::lstm) return {};
  return fail(
      Fault::format,
      "reader.decision is linear_cell, which needs an LSTM: other cells have no cell state");
}

Result<void> check(const ModelSpec& spec) {
  if (spec.net != NetKind::classifier && spec.pooling != Pooling::last) {
    return fail(Fault::format, "pooling must be 'last' unless net is classifier");
  }
  SKIM_RETURN_IF_ERROR(in_range("vocab_size", spec.vocab_size, 1, kMaxVocabSize));
  SKIM_RETURN_IF_ERROR(in_range("embedding_size", spec.embedding_size, 1, kMaxInputSize));
  SKIM_RETURN_IF_ERROR(in_range("num_layers", spec.num_layers, 1, kMaxLayers));
  SKIM_RETURN_IF_ERROR(check_char_cnn(spec));
  SKIM_RETURN_IF_ERROR(check_subwords(spec.subwords));
  SKIM_RETURN_IF_ERROR(check(spec.layer_reader(0)));
  SKIM_RETURN_IF_ERROR(check_sentence_ends(spec));
  SKIM_RETURN_IF_ERROR(check_output(spec));
  return check_labels(spec);
}

}  // namespace skim

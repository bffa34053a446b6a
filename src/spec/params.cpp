#include "spec/params.h"

#include <set>
#include <string_view>

namespace skim {
namespace {

constexpr int kMaxHidden = 4096;  // fits Step::width
constexpr int kMaxInput = 65536;
constexpr std::size_t kMaxSmall = 7;
constexpr int kMaxJump = 4096;
constexpr std::size_t kMaxEnds = 16;
constexpr int kMaxLayers = 16;
constexpr int kMaxVocabulary = 100'000'000;
constexpr std::size_t kMaxLabels = 100'000;

std::size_t size_of(int value) { return static_cast<std::size_t>(value); }

struct CellShape {
  Cell cell;
  int width;
  int input;
  int seen;  // how much of the hidden state it sees
};

void add_cell(std::vector<TensorSpec>& list, const std::string& name, CellShape shape,
              bool quantized) {
  const std::size_t rows = gates(shape.cell) * size_of(shape.width);
  list.push_back({name + ".w", {rows, size_of(shape.input)}, quantized});
  list.push_back({name + ".u", {rows, size_of(shape.seen)}, quantized});
  list.push_back({name + ".b", {rows}, false});
  if (shape.cell == Cell::gru) list.push_back({name + ".bn", {size_of(shape.width)}, false});
}

void add_decision(std::vector<TensorSpec>& list, const ReaderSpec& spec) {
  const std::size_t levels = size_of(spec.levels());
  if (spec.decision == Decision::dot) {
    list.push_back({"decision.scale", {levels}, false});
  } else {
    list.push_back({"decision.w", {levels, size_of(spec.input)}, false});
    list.push_back({"decision.u", {levels, size_of(spec.hidden)}, false});
  }
  if (spec.decision == Decision::linear_cell) {
    list.push_back({"decision.c", {levels, size_of(spec.hidden)}, false});
  }
  list.push_back({"decision.b", {levels}, false});
}

void add_smaller(std::vector<TensorSpec>& list, const ReaderSpec& spec) {
  for (int level = 1; level < spec.levels(); ++level) {
    const int width = spec.width(level);
    if (width == 0) continue;
    const int seen = spec.small_sees == SmallSees::head ? width : spec.hidden;
    add_cell(list, "small." + std::to_string(level), {spec.cell, width, spec.input, seen}, false);
  }
  add_decision(list, spec);
}

void add_bidaf(std::vector<TensorSpec>& list, const ModelSpec& spec) {
  const LetterSpec& letters = spec.letters;
  const std::size_t filters = size_of(letters.filters), width = size_of(letters.width);
  list.push_back({"letters.vectors", {256, width}, false});
  list.push_back({"letters.w", {filters, size_of(letters.window) * width}, false});
  list.push_back({"letters.b", {filters}, false});
  const std::size_t embedded = size_of(spec.input_width());
  for (const char* layer : {"highway.0", "highway.1"}) {
    for (const char* part : {"", ".gate"}) {
      const std::string name = std::string(layer) + part;
      list.push_back({name + ".w", {embedded, embedded}, false});
      list.push_back({name + ".b", {embedded}, false});
    }
  }
  const std::size_t row = size_of(spec.row_width());
  for (const char* name : {"meeting.text", "meeting.question", "meeting.both"})
    list.push_back({name, {row}, false});
  for (const char* name : {"first.w", "last.w"}) list.push_back({name, {5 * row}, false});
}

Result<void> in_range(const std::string& field, long long value, long long low, long long high) {
  if (value >= low && value <= high) return {};
  return fail(Fault::format, field + " is " + std::to_string(value) + ", it must be from " +
                                 std::to_string(low) + " to " + std::to_string(high));
}

Result<void> check_small(const ReaderSpec& spec) {
  if (spec.kind != ReaderKind::skim) {
    if (spec.small.empty()) return {};
    return fail(Fault::format, "reader.small must be empty, only a skim reader has small cells");
  }
  if (spec.small.empty()) {
    return fail(Fault::format, "reader.small is empty, a skim reader needs at least one width");
  }
  if (spec.small.size() > kMaxSmall) {
    return fail(Fault::format, "reader.small has " + std::to_string(spec.small.size()) +
                                   " widths, it may have " + std::to_string(kMaxSmall));
  }
  int wider = spec.hidden;
  for (const int width : spec.small) {
    if (width < 0 || width >= wider) {
      return fail(Fault::format, "reader.small holds " + std::to_string(width) + " after " +
                                     std::to_string(wider) +
                                     ", the widths must fall from reader.hidden down to 0 or more");
    }
    wider = width;
  }
  return {};
}

Result<void> check_jump(const ReaderSpec& spec) {
  if (spec.kind != ReaderKind::jump) return {};
  return in_range("reader.jump.run", spec.jump.run, 1, kMaxJump)
      .and_then([&] { return in_range("reader.jump.reach", spec.jump.reach, 1, kMaxJump); })
      .and_then([&] { return in_range("reader.jump.most", spec.jump.most, 0, 1'000'000); });
}

// Only words can be told to end a sentence, and only when they come in the order of the text.
Result<void> check_ends(const ModelSpec& spec) {
  const std::vector<int>& ends = spec.reader.jump.ends;
  if (spec.reader.kind != ReaderKind::jump || ends.empty()) return {};
  if (ends.size() > kMaxEnds)
    return fail(Fault::format, "reader.jump.ends has " + std::to_string(ends.size()) +
                                   " words, it may have " + std::to_string(kMaxEnds));
  if (!spec.reads_words() || spec.layers != 1 || spec.bidirectional)
    return fail(Fault::format,
                "reader.jump.ends: jumps over sentences are for one layer that reads words in one "
                "direction");
  for (const int word : ends) {
    if (auto fine = in_range("reader.jump.ends", word, 0, spec.vocabulary - 1); !fine) return fine;
  }
  return {};
}

Result<void> check_letters(const ModelSpec& spec) {
  if (spec.net != NetKind::bidaf) return {};
  return in_range("letters.width", spec.letters.width, 1, 1024)
      .and_then([&] { return in_range("letters.filters", spec.letters.filters, 1, 4096); })
      .and_then([&] { return in_range("letters.window", spec.letters.window, 1, 32); });
}

Result<void> check_labels(const ModelSpec& spec) {
  const std::vector<std::string>& labels = spec.labels;
  if (spec.net != NetKind::classifier) {
    if (labels.empty()) return {};
    return fail(Fault::format, "labels must be empty, only a classifier has labels");
  }
  if (labels.empty()) return fail(Fault::format, "labels is empty, a classifier needs labels");
  if (labels.size() > kMaxLabels) {
    return fail(Fault::format, "labels has " + std::to_string(labels.size()) +
                                   " entries, it may have " + std::to_string(kMaxLabels));
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
  add_cell(list, "big", {spec.cell, spec.hidden, spec.input, spec.hidden}, true);
  switch (spec.kind) {
    case ReaderKind::full:
      break;
    case ReaderKind::skim:
      add_smaller(list, spec);
      break;
    case ReaderKind::jump:
      list.push_back({"jump.w", {size_of(spec.jump.reach) + 1, size_of(spec.hidden)}, false});
      list.push_back({"jump.b", {size_of(spec.jump.reach) + 1}, false});
      break;
    case ReaderKind::skip:
      list.push_back({"update.w", {1, size_of(spec.hidden)}, false});
      list.push_back({"update.b", {1}, false});
      break;
    case ReaderKind::vary:
      list.push_back({"extent.w", {1, size_of(spec.input)}, false});
      list.push_back({"extent.u", {1, size_of(spec.hidden)}, false});
      list.push_back({"extent.b", {1}, false});
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

// The passes of one stack over the text, or over the question, under the name people see.
void add_passes(std::vector<PassSpec>& list, const StackSpec& stack, const ModelSpec& spec,
                const std::string& name, bool of_question) {
  for (int layer = 0; layer < stack.layers; ++layer) {
    for (int direction = 0; direction < stack.directions(); ++direction) {
      const bool backward = direction == 1;
      const std::string place = reader_prefix(name, layer, backward);
      const std::size_t begin = name.empty() ? 1 : 0;
      list.push_back({place.substr(begin, place.size() - 1 - begin),
                      reader_prefix(stack.name, layer, backward), stack.reader_of(layer), backward,
                      layer == 0 && spec.reads_words(), of_question});
    }
  }
}

}  // namespace

std::vector<PassSpec> passes_of(const ModelSpec& spec) {
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
  list.push_back({"words", {size_of(spec.vocabulary), size_of(spec.word_width)}, true});
  for (const PassSpec& pass : passes_of(spec)) {
    if (pass.of_question) continue;  // with the readers of the text
    for (const TensorSpec& tensor : reader_tensors(pass.reader)) {
      list.push_back({pass.prefix + tensor.name, tensor.shape, tensor.quantized});
    }
  }
  const std::size_t row = size_of(spec.row_width());
  const std::size_t word = size_of(spec.word_width);
  switch (spec.net) {
    case NetKind::classifier:
      if (spec.pooling == Pooling::attention) list.push_back({"pool.w", {row}, false});
      list.push_back({"head.w", {spec.labels.size(), row}, false});
      list.push_back({"head.b", {spec.labels.size()}, false});
      break;
    case NetKind::cloze:
      list.push_back({"choice.w", {word, row}, false});
      list.push_back({"choice.b", {word}, false});
      break;
    case NetKind::span:
      list.push_back({"question.w", {word}, false});
      list.push_back({"question.both", {word}, false});
      list.push_back({"first.w", {row}, false});
      list.push_back({"last.w", {row}, false});
      break;
    case NetKind::bidaf:
      add_bidaf(list, spec);
      break;
  }
  return list;
}

Result<void> check(const ReaderSpec& spec) {
  return in_range("reader.input", spec.input, 1, kMaxInput)
      .and_then([&] { return in_range("reader.hidden", spec.hidden, 1, kMaxHidden); })
      .and_then([&] { return check_small(spec); })
      .and_then([&] { return check_jump(spec); })
      .and_then([&]() -> Result<void> {
        const bool needs_cell =
            spec.kind == ReaderKind::skim && spec.decision == Decision::linear_cell;
        if (!needs_cell || spec.cell == Cell::lstm) return {};
        return fail(Fault::format,
                    "reader.decision is linear_cell, which only an LSTM can have: the others have "
                    "no cell state");
      });
}

Result<void> check(const ModelSpec& spec) {
  if (spec.net != NetKind::classifier && spec.pooling != Pooling::last) {
    return fail(Fault::format, "pooling must be 'last', only a classifier has others");
  }
  return in_range("vocabulary", spec.vocabulary, 1, kMaxVocabulary)
      .and_then([&] { return in_range("word_width", spec.word_width, 1, kMaxInput); })
      .and_then([&] { return in_range("layers", spec.layers, 1, kMaxLayers); })
      .and_then([&] { return check_letters(spec); })
      .and_then([&] { return check(spec.reader_of(0)); })
      .and_then([&] { return check_ends(spec); })
      .and_then([&] { return check_labels(spec); });
}

}  // namespace skim

#include "tests/generated/make_models.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result_macros.h"
#include "file/model_file.h"
#include "spec/names.h"
#include "tests/generated/planted.h"
#include "tests/generated/planted_questions.h"
#include "tests/support/model_specs.h"
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

constexpr std::string_view kUsage =
    "\noptions that write models:\n"
    "  --model FILE        write the model: hand-set weights that solve the planted task\n"
    "  --data FILE         write examples of the task, one per line: label, tab, text\n"
    "  --seeds FOLDER      write several small model files to start fuzzers from\n"
    "  --shapes FOLDER     write small models of every shape and kind, with random weights\n"
    "  --every 1           write every Nth of those shapes\n"
    "  --questions FOLDER  write one small model of each net that takes questions\n"
    "  --examples 1000     number of examples\n"
    "  --words-per-text 60\n"
    "  --seed 1\n"
    "  --negators yes|no   whether 'not good' may occur\n"
    "  --reader skim|dense  --cell lstm|gru|rnn  --hidden-size 100  --skim-size 10[,5...]\n"
    "  --num-layers 1  --bidirectional yes|no  --pooling last|max|mean|attention\n"
    "  --weights f32|bf16|int8  --embedding-size 100  --vocab-size N (padded with generated "
    "words)\n"
    "  --tokenizer english|unicode|whitespace\n"
    "  --output softmax|sigmoid|linear  one label, labels with thresholds 0.3 and 0.6, or a "
    "number\n"
    "  --net cloze|span|bidaf  a question-answering model with random weights and the vocabulary\n"
    "                      of the generated questions\n";

struct Request {
  std::string model, data, seeds, shapes, questions;
  std::size_t examples = 1000;
  std::size_t every = 1;
  PlantedOptions task;
  PlantedModelOptions net;
  NetKind kind = NetKind::classifier;
  OutputActivation output = OutputActivation::softmax;
};

template <class Number>
Result<void> parse_number(std::string_view text, const std::string& option, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fail(Fault::argument, option + " expects an integer, got '" + std::string(text) + "'");
}

template <class Choice>
Result<void> parse_choice(std::string_view text, const std::string& option, Choice& into) {
  SKIM_ASSIGN_OR_RETURN(into, enum_from_name<Choice>(text, option));
  return {};
}

Result<void> parse_yes(std::string_view text, const std::string& option, bool& into) {
  if (text != "yes" && text != "no") return fail(Fault::argument, option + " takes yes or no");
  into = text == "yes";
  return {};
}

Result<void> parse_widths(std::string_view text, const std::string& option,
                          std::vector<int>& into) {
  into.clear();
  while (true) {
    const std::size_t comma = text.find(',');
    SKIM_RETURN_IF_ERROR(parse_number(text.substr(0, comma), option, into.emplace_back()));
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

Result<void> parse_option(const std::string& option, std::string_view text, Request& into) {
  using Parser = std::function<Result<void>()>;
  const auto file = [&](std::string& path) {
    return [&path, text]() -> Result<void> {
      path = text;
      return {};
    };
  };
  const auto number = [&](auto& value) {
    return [&value, text, option] { return parse_number(text, option, value); };
  };
  const auto choice = [&](auto& value) {
    return [&value, text, option] { return parse_choice(text, option, value); };
  };
  const auto yes = [&](bool& value) {
    return [&value, text, option] { return parse_yes(text, option, value); };
  };
  const std::map<std::string, Parser> parsers = {
      {"--model", file(into.model)},
      {"--data", file(into.data)},
      {"--seeds", file(into.seeds)},
      {"--shapes", file(into.shapes)},
      {"--every", number(into.every)},
      {"--questions", file(into.questions)},
      {"--examples", number(into.examples)},
      {"--words-per-text", number(into.task.words)},
      {"--seed", number(into.task.seed)},
      {"--negators", yes(into.task.negators)},
      {"--net", choice(into.kind)},
      {"--output", choice(into.output)},
      {"--reader", choice(into.net.kind)},
      {"--cell", choice(into.net.cell)},
      {"--hidden-size", number(into.net.hidden_size)},
      {"--skim-size", [&] { return parse_widths(text, option, into.net.skim_sizes); }},
      {"--num-layers", number(into.net.num_layers)},
      {"--bidirectional", yes(into.net.bidirectional)},
      {"--pooling", choice(into.net.pooling)},
      {"--weights", choice(into.net.weight_type)},
      {"--tokenizer", choice(into.net.tokenizer)},
      {"--embedding-size", number(into.net.embedding_size)},
      {"--vocab-size", number(into.net.vocab_size)},
  };
  const auto parser = parsers.find(option);
  if (parser == parsers.end()) return fail(Fault::argument, "unknown option " + option);
  return parser->second();
}

Result<Request> parse_arguments(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; i += 2) {
    const std::string option = arguments[i];
    if (i + 1 == count) return fail(Fault::argument, option + " needs a value");
    SKIM_RETURN_IF_ERROR(parse_option(option, arguments[i + 1], request));
  }
  request.net.seed = request.task.seed;
  return request;
}

Result<void> write_data(const Request& request) {
  std::ofstream file(request.data, std::ios::binary);
  for (const Example& example : planted_data(request.task, request.examples).examples) {
    file << example.label << '\t' << example.query.text << '\n';
  }
  file.close();
  if (!file) return fail(Fault::io, request.data + ": cannot write");
  return {};
}

// Makes a multi-label or a regression model of a classifier, without probes. The number is the
// logit of the second label.
void set_output(OutputActivation output, ModelDraft& draft) {
  draft.spec.output = output;
  if (output == OutputActivation::softmax) return;
  draft.probes.clear();
  if (output == OutputActivation::sigmoid) draft.calibration.label_thresholds = {0.3F, 0.6F};
  if (output != OutputActivation::linear) return;
  draft.spec.labels.clear();
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (!tensor.name.starts_with("head.")) continue;
    const auto half = static_cast<std::ptrdiff_t>(tensor.values.size() / 2);
    tensor.values.erase(tensor.values.begin(), tensor.values.begin() + half);
  }
}

Result<void> write_model(const Request& request) {
  SKIM_ASSIGN_OR_RETURN(ModelDraft draft, planted_draft(request.net));
  set_output(request.output, draft);
  return write_model_file(draft, request.model);
}

// Returns the vocabulary of some generated passages and questions.
std::set<std::string> question_words(const PlantedOptions& task) {
  std::string text;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const PlantedPassage passage = planted_passage({.seed = task.seed}, i);
    text += passage.text + ' ';
    for (const PlantedQuestion& question : passage.questions) text += question.question + ' ';
  }
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (letter) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!letter && !word.empty()) words.insert(std::exchange(word, {}));
  }
  return words;
}

Result<void> write_question_model(const Request& request) {
  const PlantedModelOptions& net = request.net;
  const std::set<std::string> words = question_words(request.task);
  ModelSpec spec;
  spec.net = request.kind;
  spec.vocab_size = static_cast<int>(words.size()) + 1;
  spec.embedding_size = net.embedding_size;
  spec.reader.kind = net.kind;
  spec.reader.cell = net.cell;
  spec.reader.hidden_size = net.hidden_size;
  spec.reader.skim_sizes = net.kind == ReaderKind::skim ? net.skim_sizes : std::vector<int>{};
  spec.num_layers = net.num_layers;
  spec.bidirectional = net.bidirectional;
  spec.weight_type = net.weight_type;
  ModelDraft draft = random_draft(spec, net.seed);
  std::copy(words.begin(), words.end(), draft.vocabulary.begin() + 1);
  return write_model_file(draft, request.model);
}

// Writes one small model with random weights per question-answering net.
Result<void> write_question_models(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  for (const NetKind net : {NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    ModelSpec spec;
    spec.net = net;
    spec.vocab_size = 40;
    spec.embedding_size = 3;
    spec.char_cnn = {.embedding_size = 2, .num_filters = 3, .kernel_size = 2};
    spec.reader.input_size = spec.input_size();
    spec.reader.hidden_size = 4;
    spec.reader.skim_sizes = {2};
    spec.bidirectional = spec.is_extractive();
    const std::string name = std::string(to_string(net)) + ".skim";
    SKIM_RETURN_IF_ERROR(write_model_file(random_draft(spec, 1), folder / name));
  }
  return {};
}

// Writes small models as fuzzer seeds.
Result<void> write_seeds(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
      ModelSpec spec;
      spec.vocab_size = 6;
      spec.embedding_size = 3;
      spec.reader.cell = cell;
      spec.reader.input_size = 3;
      spec.reader.hidden_size = 4;
      spec.reader.skim_sizes = {2, 0};
      spec.bidirectional = cell == Cell::gru;
      spec.pooling = cell == Cell::rnn ? Pooling::attention : Pooling::max;
      spec.weight_type = weights;
      const std::string name =
          std::string(to_string(cell)) + "-" + std::string(to_string(weights)) + ".skim";
      SKIM_RETURN_IF_ERROR(write_model_file(random_draft(spec, 1), folder / name));
    }
  }
  return write_question_models(folder);
}

// Writes classifiers named by number, other nets by name.
Result<void> write_shapes(const std::filesystem::path& folder, std::size_t every) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::vector<ModelSpec> all = all_model_specs();
  Result<void> done;
  for (std::size_t i = 0; done && i < all.size(); i += std::max<std::size_t>(every, 1)) {
    ModelDraft draft = random_draft(all[i], i + 1);
    draft.about = describe(all[i]);
    done = write_model_file(draft, folder / (std::to_string(i) + ".skim"));
  }
  return done ? write_question_models(folder) : done;
}

Result<void> run(const Request& request) {
  Result<void> done;
  if (done && !request.questions.empty()) done = write_question_models(request.questions);
  if (done && !request.shapes.empty()) done = write_shapes(request.shapes, request.every);
  if (done && !request.seeds.empty()) done = write_seeds(request.seeds);
  if (done && !request.model.empty()) {
    done =
        request.kind == NetKind::classifier ? write_model(request) : write_question_model(request);
  }
  if (done && !request.data.empty()) done = write_data(request);
  return done;
}

}  // namespace

int make_models(int count, char** arguments) {
  if (count == 1 || std::string_view(arguments[1]) == "--help") {
    std::fputs(kUsage.data(), count == 1 ? stderr : stdout);
    return count == 1 ? 2 : 0;
  }
  const Result<Request> request = parse_arguments(count, arguments);
  if (!request) {
    std::fprintf(stderr, "make_data: %s\n%s", request.error().message.c_str(), kUsage.data());
    return 2;
  }
  const Result<void> done = run(*request);
  if (done) return 0;
  std::fprintf(stderr, "make_data: %s\n", done.error().message.c_str());
  return 1;
}

}  // namespace skim

// make_data: writes generated data sets and models of known truth, for tests, examples and ./demo.
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "skim/result.h"
#include "tests/generated/make_models.h"
#include "tests/generated/planted.h"
#include "tests/generated/planted_questions.h"

namespace skim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: make_data TASK --into DIR [options]   writes train, dev and test of a generated task\n"
    "       make_data --model FILE [options]      writes a model; `make_data --help` lists them\n"
    "\n"
    "tasks:\n"
    "  planted    short reviews in which a few planted words decide between two labels\n"
    "  questions  passages that state a few facts, and questions about them, as a SQuAD file\n"
    "  cloze      twenty sentences and one with a name left out, as a Children's Book Test file\n"
    "\n"
    "options of a task:\n"
    "  --into DIR          the folder to write to\n"
    "  --train 10000  --dev 500  --test 500   examples per split\n"
    "  --words 60          words per text (questions: at least, 120 by default; not for cloze)\n"
    "  --seed 1            same seed, same files on every machine\n"
    "  --negators          planted: 'not good' counts against, so single words do not suffice\n"
    "  --format tsv|jsonl  planted: label, tab, text; or JSON lines that also list the deciding "
    "words\n";

struct Task {
  std::string_view name;
  std::string_view unit;  // what one example is called
  std::string_view format;
  int words;  // per text by default; 0: the length is fixed
};

constexpr auto kTasks = std::to_array<Task>({
    {"planted", "texts", "tsv", 60},
    {"questions", "questions", "json", 120},
    {"cloze", "questions", "txt", 0},
});

struct DataOptions {
  std::string task, into, format;
  int train = 10000, dev = 500, test = 500;
  int words = 0;  // 0: the task's default
  std::uint64_t seed = 1;
  bool negators = false;
};

const Task* find_task(std::string_view name) {
  for (const Task& task : kTasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

template <class Number>
Result<void> parse_number(std::string_view text, const std::string& option, Number least,
                          Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error == std::errc() && end == text.data() + text.size() && into >= least) return {};
  return fail(Fault::argument, option + ": expected a whole number of at least " +
                                   std::to_string(least) + ", got '" + std::string(text) + "'");
}

Result<void> parse_option(const std::string& option, std::string_view value, DataOptions& into) {
  if (option == "--into") return void(into.into = value), Result<void>{};
  if (option == "--format") return void(into.format = value), Result<void>{};
  if (option == "--seed") return parse_number(value, option, std::uint64_t{0}, into.seed);
  const std::array numbers = {std::pair{"--train", &into.train}, std::pair{"--dev", &into.dev},
                              std::pair{"--test", &into.test}, std::pair{"--words", &into.words}};
  for (const auto& [name, number] : numbers) {
    if (option == name) return parse_number(value, option, 1, *number);
  }
  return fail(Fault::argument, "unknown option " + option);
}

// Rejects options that do not go with the task and fills in the task's defaults.
Result<DataOptions> complete(DataOptions options, const Task& task) {
  const bool planted = task.name == "planted";
  if (options.into.empty()) return fail(Fault::argument, "--into is missing: the output folder");
  if (!planted && !options.format.empty())
    return fail(Fault::argument, "--format is for planted only");
  if (!planted && options.negators) return fail(Fault::argument, "--negators is for planted only");
  if (task.words == 0 && options.words != 0)
    return fail(Fault::argument,
                "--words is not for cloze, whose texts have twenty sentences each");
  if (options.format.empty()) options.format = task.format;
  if (planted && options.format != "tsv" && options.format != "jsonl")
    return fail(Fault::argument, "--format: expected tsv or jsonl, got '" + options.format + "'");
  if (options.words == 0) options.words = task.words;
  return options;
}

Result<DataOptions> parse_options(const Task& task, const std::vector<std::string>& arguments) {
  DataOptions options;
  options.task = task.name;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (option == "--negators") {
      options.negators = true;
      continue;
    }
    if (++i == arguments.size()) return fail(Fault::argument, option + " lacks its value");
    SKIM_RETURN_IF_ERROR(parse_option(option, arguments[i], options));
  }
  return complete(std::move(options), task);
}

// One split: the examples numbered from `first` on.
struct Split {
  std::string name;
  std::uint64_t first = 0;
  std::size_t count = 0;
};

std::string planted_line(const PlantedText& text, const std::string& format) {
  const std::string label(kPlantedLabels[static_cast<std::size_t>(text.label)]);
  if (format == "tsv") return label + "\t" + text.text + "\n";
  return Json{{"label", label}, {"text", text.text}, {"decisive", text.decisive}}.dump() + "\n";
}

std::string planted_lines(const DataOptions& options, const Split& split) {
  const PlantedOptions task{.seed = options.seed,
                            .words = static_cast<std::size_t>(options.words),
                            .negators = options.negators,
                            .narrow_margin = true};
  std::string lines;
  for (std::size_t i = 0; i < split.count; ++i)
    lines += planted_line(planted_text(task, split.first + i), options.format);
  return lines;
}

std::string split_bytes(const DataOptions& options, const Split& split) {
  if (options.task == "planted") return planted_lines(options, split);
  const PlantedQuestionOptions task{.seed = options.seed,
                                    .words = static_cast<std::size_t>(options.words)};
  if (options.task == "questions") return squad_json(task, split.first, split.count);
  return cbt_text(task, split.first, split.count);
}

// Train, dev and test, which have no text in common.
std::vector<Split> make_splits(const DataOptions& options) {
  const std::uint64_t step = options.task == "questions" ? kPlantedQuestionsPerPassage : 1;
  std::vector<Split> splits;
  std::uint64_t first = 0;
  for (const auto& [name, count] :
       {std::pair{"train", options.train}, std::pair{"dev", options.dev},
        std::pair{"test", options.test}}) {
    splits.push_back({name, first, static_cast<std::size_t>(count)});
    first += (static_cast<std::uint64_t>(count) + step - 1) / step * step;
  }
  return splits;
}

Result<void> write_splits(const DataOptions& options) {
  std::error_code error;
  fs::create_directories(options.into, error);
  if (error) return fail(Fault::io, options.into + ": cannot create it: " + error.message());
  for (const Split& split : make_splits(options)) {
    const fs::path path = fs::path(options.into) / (split.name + "." + options.format);
    SKIM_RETURN_IF_ERROR(write_atomically(path, split_bytes(options, split)));
  }
  return {};
}

int report_error(const Error& error, int exit_code) {
  std::fprintf(stderr, "make_data: %s\n", error.message.c_str());
  if (exit_code == 2) std::fputs(kUsage.data(), stderr);
  return exit_code;
}

int make_data(const Task& task, const std::vector<std::string>& arguments) {
  const auto options = parse_options(task, arguments);
  if (!options) return report_error(options.error(), 2);
  if (const auto written = write_splits(*options); !written)
    return report_error(written.error(), 1);
  std::printf("%s: train, dev and test with %d, %d and %d %s\n", options->into.c_str(),
              options->train, options->dev, options->test, std::string(task.unit).c_str());
  return 0;
}

}  // namespace
}  // namespace skim

int main(int count, char** arguments) {
  const std::string_view first = count > 1 ? arguments[1] : "";
  if (first.empty() || first == "--help")
    std::fputs(skim::kUsage.data(), count > 1 ? stdout : stderr);
  if (first.empty() || first.starts_with("--")) return skim::make_models(count, arguments);
  if (const skim::Task* task = skim::find_task(first))
    return skim::make_data(*task, {arguments + 2, arguments + count});
  return skim::report_error({skim::Fault::argument, "no task '" + std::string(first) +
                                                        "'; expected planted, questions or cloze"},
                            2);
}

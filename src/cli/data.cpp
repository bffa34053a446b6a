#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "tasks/planted.h"
#include "tasks/planted_questions.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

// A synthetic data set.
struct GeneratedTask {
  std::string_view name, about;
  std::string_view unit;  // what --train, --dev and --test count
  std::string_view format;
  int words;  // default length of a text; 0: not configurable
};

constexpr auto kGeneratedTasks = std::to_array<GeneratedTask>({
    {"planted",
     "short reviews in which a few planted words determine one of two labels; the rest is filler",
     "texts", "tsv", 60},
    {"questions",
     "passages of filler with a few facts, and extractive questions about them, in SQuAD format",
     "questions", "json", 120},
    {"cloze",
     "twenty sentences and a question with a missing name, ten choices, in the format of the "
     "Children's Book Test",
     "questions", "txt", 0},
});

constexpr int kUnset = std::numeric_limits<int>::min();

struct MakeOptions {
  std::string action, task;
  std::string into;
  std::string format;
  int train = 10000, dev = 500, test = 500, words = kUnset;
  std::uint64_t seed = 1;
  bool negators = false;
};

void declare(Options& options, MakeOptions& chosen) {
  options.add_argument("ACTION", chosen.action, "make writes a data set, list shows the tasks");
  options.add_argument("TASK", chosen.task, "the task: planted, questions or cloze",
                       Options::Need::optional);
  options.add("--into", chosen.into, "DIR", "output directory for train, dev and test");
  options.add("--train", chosen.train, "N", "size of train (default 10000)");
  options.add("--dev", chosen.dev, "N", "size of dev (default 500)");
  options.add("--test", chosen.test, "N", "size of test (default 500)");
  options.add("--words", chosen.words, "N",
              "words per text (default 60; questions: minimum, default 120; not for cloze)");
  options.add("--seed", chosen.seed, "N", "random seed (default 1)");
  options.add_flag("--negators", chosen.negators,
                   "planted: add negators ('not good'), so that single words are not enough");
  options.add_choice("--format", chosen.format, {"tsv", "jsonl"},
                     "planted: label, tab, text; or JSON lines with the decisive words");
  options.add_example("skim data make planted --into build/planted");
  options.add_example("skim data make questions --into build/questions --train 5000");
}

const GeneratedTask* find_task(std::string_view name) {
  const auto task = std::find_if(kGeneratedTasks.begin(), kGeneratedTasks.end(),
                                 [&](const GeneratedTask& known) { return known.name == name; });
  return task == kGeneratedTasks.end() ? nullptr : &*task;
}

std::string list_tasks() {
  std::string lines;
  for (const GeneratedTask& task : kGeneratedTasks) {
    std::string name(task.name);
    name.resize(11, ' ');
    lines += name + std::string(task.about) + "\n";
  }
  return lines;
}

std::string planted_line(const PlantedText& text, const std::string& format) {
  const std::string label(kPlantedLabels[static_cast<std::size_t>(text.label)]);
  if (format == "tsv") return label + "\t" + text.text + "\n";
  return Json{{"label", label}, {"text", text.text}, {"decisive", text.decisive}}.dump() + "\n";
}

// A part of a data set: examples `first` to `first` + `count` - 1.
struct DataPart {
  std::string name;
  std::uint64_t first = 0;
  std::size_t count = 0;
};

std::string planted_lines(const MakeOptions& chosen, const DataPart& part) {
  const PlantedOptions task{.seed = chosen.seed,
                            .words = static_cast<std::size_t>(chosen.words),
                            .negators = chosen.negators,
                            .narrow_margin = true};
  std::string lines;
  for (std::size_t i = 0; i < part.count; ++i)
    lines += planted_line(planted_text(task, part.first + i), chosen.format);
  return lines;
}

std::string generate(const MakeOptions& chosen, const DataPart& part) {
  if (chosen.task == "planted") return planted_lines(chosen, part);
  const PlantedQuestionOptions task{.seed = chosen.seed,
                                    .words = static_cast<std::size_t>(chosen.words)};
  if (chosen.task == "questions") return squad_json(task, part.first, part.count);
  return cbt_text(task, part.first, part.count);
}

// Train, dev and test, which share no text.
std::vector<DataPart> make_parts(const MakeOptions& chosen) {
  const std::uint64_t step = chosen.task == "questions" ? kPlantedQuestionsPerPassage : 1;
  std::vector<DataPart> parts;
  std::uint64_t first = 0;
  for (const auto& [name, count] : {std::pair{"train", chosen.train}, std::pair{"dev", chosen.dev},
                                    std::pair{"test", chosen.test}}) {
    parts.push_back({name, first, static_cast<std::size_t>(count)});
    first += (static_cast<std::uint64_t>(count) + step - 1) / step * step;
  }
  return parts;
}

int make(const MakeOptions& chosen, std::string_view unit) {
  std::error_code error;
  fs::create_directories(chosen.into, error);
  if (error) {
    return failed("data",
                  {Fault::io, chosen.into + ": cannot create directory: " + error.message()});
  }
  for (const DataPart& part : make_parts(chosen)) {
    const fs::path path = fs::path(chosen.into) / (part.name + "." + chosen.format);
    if (const auto written = write_atomically(path, generate(chosen, part)); !written)
      return failed("data", written.error());
  }
  return print(chosen.into + ": train, dev and test with " + std::to_string(chosen.train) + ", " +
               std::to_string(chosen.dev) + " and " + std::to_string(chosen.test) + " " +
               std::string(unit) + "\n");
}

// Returns an error message for an invalid combination of options; empty if valid.
std::string validate(const MakeOptions& chosen, const GeneratedTask& task) {
  if (chosen.into.empty()) return "--into DIR is required";
  if (task.name != "planted" && !chosen.format.empty()) return "--format is for planted only";
  if (task.name != "planted" && chosen.negators) return "--negators is for planted only";
  const bool has_words = chosen.words != kUnset;
  if (task.words == 0 && has_words) {
    return "--words is not for " + std::string(task.name) +
           ", which has twenty sentences per question";
  }
  if (chosen.train < 1 || chosen.dev < 1 || chosen.test < 1 || (has_words && chosen.words < 1))
    return "numbers of texts, questions and words must be at least 1";
  return {};
}

int check_and_make(MakeOptions chosen) {
  const GeneratedTask* task = find_task(chosen.task);
  if (chosen.task == "gaps") return usage_error("data", "the task gaps is now cloze");
  if (task == nullptr) {
    const std::string about =
        chosen.task.empty() ? "the task is missing;" : "unknown task '" + chosen.task + "';";
    return usage_error("data", about + " expected planted, questions, cloze");
  }
  if (const std::string error = validate(chosen, *task); !error.empty())
    return usage_error("data", error);
  if (chosen.words == kUnset) chosen.words = task->words;
  if (chosen.format.empty()) chosen.format = task->format;
  return make(chosen, task->unit);
}

}  // namespace

int data_verb(Arguments arguments) {
  MakeOptions chosen;
  Options options(
      "data", "Generates synthetic data sets with known ground truth, for tests and first steps.",
      "make|list [TASK] [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (chosen.action == "list") return print(list_tasks());
  if (chosen.action != "make")
    return usage_error("data", "'" + chosen.action + "' is neither make nor list");
  return check_and_make(std::move(chosen));
}

}  // namespace skim::cli

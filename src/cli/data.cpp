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

// What can be made.
struct MadeTask {
  std::string_view name, about;
  std::string_view unit;  // what is counted
  std::string_view format;
  int words;  // of a text unless said otherwise; 0: there is no choice
};

constexpr auto kMadeTasks = std::to_array<MadeTask>({
    {"planted",
     "short reviews in which a few planted words decide between two labels; the rest is filler",
     "texts", "tsv", 60},
    {"questions",
     "passages of filler in which a few facts stand, and questions about them; a file like SQuAD's",
     "questions", "json", 120},
    {"gaps",
     "twenty sentences and one with a name left out, ten to choose from; a file like the "
     "Children's Book Test's",
     "questions", "txt", 0},
});

constexpr int kNotSaid = std::numeric_limits<int>::min();

struct MakeOptions {
  std::string action, task;
  std::string into;
  std::string format;
  int train = 10000, dev = 500, test = 500, words = kNotSaid;
  std::uint64_t seed = 1;
  bool negators = false;
};

void declare(Options& options, MakeOptions& chosen) {
  options.add_argument("ACTION", chosen.action,
                       "make writes a generated data set, list names them");
  options.add_argument("TASK", chosen.task, "which one: planted, questions or gaps",
                       Options::Need::optional);
  options.add("--into", chosen.into, "DIR", "where train, dev and test are written");
  options.add("--train", chosen.train, "N", "texts or questions to train on (default 10000)");
  options.add("--dev", chosen.dev, "N", "texts or questions to choose by (default 500)");
  options.add("--test", chosen.test, "N", "texts or questions to report on (default 500)");
  options.add("--words", chosen.words, "N",
              "of each text (default 60; questions: at least, default 120; not for gaps)");
  options.add("--seed", chosen.seed, "N", "of the texts (default 1)");
  options.add_flag("--negators", chosen.negators,
                   "planted: 'not good' speaks against, so words alone are not enough");
  options.add_choice("--format", chosen.format, {"tsv", "jsonl"},
                     "planted: label, tab, text; or JSON lines, which also say which words decide");
  options.add_example("skim data make planted --into build/planted");
  options.add_example("skim data make questions --into build/questions --train 5000");
}

const MadeTask* made_task(std::string_view name) {
  const auto task = std::find_if(kMadeTasks.begin(), kMadeTasks.end(),
                                 [&](const MadeTask& known) { return known.name == name; });
  return task == kMadeTasks.end() ? nullptr : &*task;
}

std::string list_of_tasks() {
  std::string lines;
  for (const MadeTask& task : kMadeTasks) {
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

// Of a data set: the texts or questions numbered from `first` on.
struct MadePart {
  std::string name;
  std::uint64_t first = 0;
  std::size_t count = 0;
};

std::string planted_lines(const MakeOptions& chosen, const MadePart& part) {
  const PlantedOptions task{.seed = chosen.seed,
                            .words = static_cast<std::size_t>(chosen.words),
                            .negators = chosen.negators,
                            .close = true};
  std::string lines;
  for (std::size_t i = 0; i < part.count; ++i)
    lines += planted_line(planted_text(task, part.first + i), chosen.format);
  return lines;
}

std::string made_bytes(const MakeOptions& chosen, const MadePart& part) {
  if (chosen.task == "planted") return planted_lines(chosen, part);
  const PlantedQuestionOptions task{.seed = chosen.seed,
                                    .words = static_cast<std::size_t>(chosen.words)};
  if (chosen.task == "questions") return squad_json(task, part.first, part.count);
  return cbt_text(task, part.first, part.count);
}

// Train, dev and test, which have no text in common.
std::vector<MadePart> made_parts(const MakeOptions& chosen) {
  const std::uint64_t step = chosen.task == "questions" ? kPlantedQuestionsPerPassage : 1;
  std::vector<MadePart> parts;
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
    return failed("data", {Fault::io, chosen.into + ": cannot be created: " + error.message()});
  }
  for (const MadePart& part : made_parts(chosen)) {
    const fs::path path = fs::path(chosen.into) / (part.name + "." + chosen.format);
    if (const auto written = write_atomically(path, made_bytes(chosen, part)); !written)
      return failed("data", written.error());
  }
  return print(chosen.into + ": train, dev and test with " + std::to_string(chosen.train) + ", " +
               std::to_string(chosen.dev) + " and " + std::to_string(chosen.test) + " " +
               std::string(unit) + "\n");
}

// What is wrong with the options; nothing when they go together.
std::string mistake_in(const MakeOptions& chosen, const MadeTask& task) {
  if (chosen.into.empty()) return "--into is missing: the folder to write to";
  if (task.name != "planted" && !chosen.format.empty()) return "--format is for planted only";
  if (task.name != "planted" && chosen.negators) return "--negators is for planted only";
  const bool says_words = chosen.words != kNotSaid;
  if (task.words == 0 && says_words) {
    return "--words is not for " + std::string(task.name) + ", which have twenty sentences each";
  }
  if (chosen.train < 1 || chosen.dev < 1 || chosen.test < 1 || (says_words && chosen.words < 1))
    return "numbers of texts, questions and words must be at least 1";
  return {};
}

int check_and_make(MakeOptions chosen) {
  const MadeTask* task = made_task(chosen.task);
  if (task == nullptr) {
    const std::string about =
        chosen.task.empty() ? "which task?" : "no task '" + chosen.task + "';";
    return wrong_usage("data", about + " there are: planted, questions, gaps");
  }
  if (const std::string mistake = mistake_in(chosen, *task); !mistake.empty())
    return wrong_usage("data", mistake);
  if (chosen.words == kNotSaid) chosen.words = task->words;
  if (chosen.format.empty()) chosen.format = task->format;
  return make(chosen, task->unit);
}

}  // namespace

int data_verb(Arguments arguments) {
  MakeOptions chosen;
  Options options("data", "Makes data sets whose truth is known, for tests and first steps.",
                  "make|list [TASK] [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (chosen.action == "list") return print(list_of_tasks());
  if (chosen.action != "make")
    return wrong_usage("data", "'" + chosen.action + "' is neither make nor list");
  return check_and_make(std::move(chosen));
}

}  // namespace skim::cli

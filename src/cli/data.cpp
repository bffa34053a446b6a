#include <filesystem>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "tasks/planted.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  std::string action, task;
  std::string into;
  std::string format = "tsv";
  int train = 10000, dev = 500, test = 500, words = 60;
  std::uint64_t seed = 1;
  bool negators = false;
};

void declare(Options& options, MakeOptions& chosen) {
  options.add_argument("ACTION", chosen.action,
                       "make writes a generated data set, list names them");
  options.add_argument("TASK", chosen.task, "which one: planted", Options::Need::optional);
  options.add("--into", chosen.into, "DIR", "where train, dev and test are written");
  options.add("--train", chosen.train, "N", "texts to train on (default 10000)");
  options.add("--dev", chosen.dev, "N", "texts to choose by (default 500)");
  options.add("--test", chosen.test, "N", "texts to report on (default 500)");
  options.add("--words", chosen.words, "N", "of each text (default 60)");
  options.add("--seed", chosen.seed, "N", "of the texts (default 1)");
  options.add_flag("--negators", chosen.negators,
                   "'not good' speaks against: words alone are not enough");
  options.add_choice("--format", chosen.format, {"tsv", "jsonl"},
                     "label, tab, text; or JSON lines, which also say which words decide");
  options.add_example("skim data make planted --into build/planted");
}

std::string planted_line(const PlantedText& text, const std::string& format) {
  const std::string label(kPlantedLabels[static_cast<std::size_t>(text.label)]);
  if (format == "tsv") return label + "\t" + text.text + "\n";
  return Json{{"label", label}, {"text", text.text}, {"decisive", text.decisive}}.dump() + "\n";
}

Result<void> write_part(const MakeOptions& chosen, const std::string& name, std::uint64_t first,
                        int count) {
  const PlantedOptions task{.seed = chosen.seed,
                            .words = static_cast<std::size_t>(chosen.words),
                            .negators = chosen.negators,
                            .close = true};
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += planted_line(planted_text(task, first + static_cast<std::uint64_t>(i)), chosen.format);
  return write_atomically(fs::path(chosen.into) / (name + "." + chosen.format), lines);
}

int make(const MakeOptions& chosen) {
  std::error_code error;
  fs::create_directories(chosen.into, error);
  if (error) {
    return failed("data", {Fault::io, chosen.into + ": cannot be created: " + error.message()});
  }
  std::uint64_t first = 0;
  for (const auto& [name, count] : {std::pair{"train", chosen.train}, std::pair{"dev", chosen.dev},
                                    std::pair{"test", chosen.test}}) {
    if (const auto written = write_part(chosen, name, first, count); !written)
      return failed("data", written.error());
    first += static_cast<std::uint64_t>(count);
  }
  return print(chosen.into + ": train, dev and test with " + std::to_string(chosen.train) + ", " +
               std::to_string(chosen.dev) + " and " + std::to_string(chosen.test) + " texts\n");
}

}  // namespace

int data_verb(Arguments arguments) {
  MakeOptions chosen;
  Options options("data", "Makes data sets whose truth is known, for tests and first steps.",
                  "make|list [TASK] [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (chosen.action == "list") {
    return print(
        "planted  short reviews in which a few planted words decide between two labels; the rest "
        "is filler\n");
  }
  if (chosen.action != "make")
    return wrong_usage("data", "'" + chosen.action + "' is neither make nor list");
  if (chosen.task != "planted")
    return wrong_usage("data", chosen.task.empty()
                                   ? "which task? there is: planted"
                                   : "no task '" + chosen.task + "'; there is: planted");
  if (chosen.into.empty()) return wrong_usage("data", "--into is missing: the folder to write to");
  if (chosen.train < 1 || chosen.dev < 1 || chosen.test < 1 || chosen.words < 1)
    return wrong_usage("data", "numbers of texts and words must be at least 1");
  return make(chosen);
}

}  // namespace skim::cli

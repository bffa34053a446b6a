#include "cli/evaluation.h"

#include <utility>

#include "base/result_macros.h"
#include "tasks/label_sets.h"
#include "tasks/load.h"

namespace skim::cli {

void declare(Options& options, DataChoice& choice) {
  options.add_argument("FILE", choice.file,
                       "labelled texts: TSV, CSV, fastText or JSON lines; or questions: SQuAD, "
                       "Children's Book Test; - is standard input");
  options.add("--limit", choice.limit, "N", "use N evenly spaced examples (default: all)");
  options.add("--threads", choice.threads, "N",
              "number of threads (default: one per core); timing always uses one");
  options.add_bounds("--threads", 0, 1024);
  options.add_flag("--quiet", choice.quiet, "no progress bar and no notes");
}

std::string validate(const DataChoice& choice) {
  return choice.limit < 0 ? "--limit must not be negative" : "";
}

Result<Dataset> load_data(const DataChoice& choice, const ModelSpec& spec) {
  auto data = load_examples(choice.file, label_kind(spec));
  if (!data || choice.limit == 0) return data;
  return subsample(std::move(*data), static_cast<std::size_t>(choice.limit));
}

Result<TestSet> load_test_set(const DataChoice& choice, const Model& model) {
  SKIM_ASSIGN_OR_RETURN(auto data, load_data(choice, model.spec()));
  return make_test_set(std::move(data), model.spec());
}

void declare(Options& options, TimingChoice& choice) {
  options.add("--seconds", choice.seconds, "S",
              "approximate timing duration in seconds (default 2)");
  options.add("--rounds", choice.rounds, "N", "number of times each text is timed (default 7)");
}

std::string validate(const TimingChoice& choice) {
  if (!(choice.seconds > 0 && choice.seconds <= 3600)) return "--seconds must be from 0 to 3600";
  if (choice.rounds < 1 || choice.rounds > 1000) return "--rounds must be from 1 to 1000";
  return {};
}

}  // namespace skim::cli

#include "tests/train/trainings.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/file.h"
#include "skim/session.h"
#include "tasks/load.h"
#include "tests/generated/planted.h"
#include "tests/generated/planted_questions.h"
#include "trainer/compare.h"
#include "trainer/train_verb.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

void must(const Result<void>& done) {
  if (!done) throw std::runtime_error(done.error().message);
}

std::string planted_lines(std::size_t first, std::size_t count) {
  const PlantedOptions task{.words = 20, .negators = false, .narrow_margin = true};
  std::string lines;
  for (std::size_t i = first; i < first + count; ++i) {
    const PlantedText text = planted_text(task, i);
    lines +=
        std::string(kPlantedLabels[static_cast<std::size_t>(text.label)]) + "\t" + text.text + "\n";
  }
  return lines;
}

// The folder of generated data, which the first use makes and the end of the program removes.
class Folder {
 public:
  static const fs::path& path() {
    static const Folder folder;
    return folder.path_;
  }

 private:
  Folder() {
    std::string name = (fs::temp_directory_path() / "skim-trainings-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be created");
    path_ = name;
    const PlantedQuestionOptions questions{.words = 40};
    must(write_atomically(path_ / "train.tsv", planted_lines(0, 300)));
    must(write_atomically(path_ / "dev.tsv", planted_lines(300, 50)));
    must(write_atomically(path_ / "test.tsv", planted_lines(350, 200)));
    must(write_atomically(path_ / "train.json", squad_json(questions, 0, 300)));
    must(write_atomically(path_ / "dev.json", squad_json(questions, 300, 21)));
    must(write_atomically(path_ / "train.txt", cbt_text(questions, 0, 300)));
    must(write_atomically(path_ / "dev.txt", cbt_text(questions, 300, 60)));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  fs::path path_;
};

// Appends the defaults that `given` does not name, then `given`.
Given merge(const std::string& out, const std::map<std::string, std::string>& defaults,
            const Given& given) {
  Given merged = {"--out", out};
  for (const auto& [name, value] : defaults) {
    if (std::find(given.begin(), given.end(), name) == given.end())
      merged.insert(merged.end(), {name, value});
  }
  merged.insert(merged.end(), given.begin(), given.end());
  return merged;
}

Outcome run(int (*verb)(Arguments), const Given& given) {
  std::vector<const char*> values;
  for (const std::string& value : given) values.push_back(value.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = verb(values);
  outcome.err = testing::internal::GetCapturedStderr();
  outcome.out = testing::internal::GetCapturedStdout();
  return outcome;
}

}  // namespace

std::string Trainings::at(std::string_view name) { return (Folder::path() / name).string(); }

std::string Trainings::read(const std::string& path) {
  const Result<std::string> text = read_text(path);
  EXPECT_TRUE(text.has_value()) << path;
  return text.value_or("");
}

void Trainings::write(const std::string& path, std::string_view text) {
  must(write_atomically(path, text));
}

Outcome Trainings::train(const Given& options) { return run(run_train_verb, options); }

Outcome Trainings::train_and_stop(Given options, const std::string& log) {
  options.insert(options.end(), {"--log", log});
  std::atomic<bool> ended = false;
  std::thread stopper([&] {
    while (!ended && (!fs::exists(log) || fs::file_size(log) == 0))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (!ended) std::raise(SIGTERM);
  });
  Outcome outcome = train(options);
  ended = true;
  stopper.join();
  return outcome;
}

Outcome Trainings::compare(const Given& arguments) { return run(cli::compare, arguments); }

Given Trainings::quick(const std::string& out, const Given& given) {
  return merge(out,
               {{"--train", at("train.tsv")},
                {"--dev", at("dev.tsv")},
                {"--hidden-size", "20"},
                {"--skim-size", "4"},
                {"--max-steps", "40"},
                {"--eval-steps", "20"},
                {"--embedding-size", "16"},
                {"--embeddings", "none"},
                {"--buckets", "0"},
                {"--threads", "1"}},
               given);
}

Given Trainings::quick_questions(const std::string& task, const std::string& out,
                                 const Given& given) {
  const std::string end = task == "cloze" ? ".txt" : ".json";
  return merge(out,
               {{"--task", task},
                {"--train", at("train" + end)},
                {"--dev", at("dev" + end)},
                {"--hidden-size", "12"},
                {"--skim-size", "4"},
                {"--max-steps", "24"},
                {"--eval-steps", "6"},
                {"--embedding-size", "16"},
                {"--embeddings", "none"},
                {"--min-count", "1"},
                {"--threads", "1"}},
               given);
}

Given Trainings::reference_options(const Given& more) {
  Given options = {"--max-steps", "120"};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

const std::string& Trainings::reference() {
  static const std::string path = [] {
    const std::string out = at("reference.skim");
    const Outcome done = train(quick(out, reference_options()));
    EXPECT_EQ(done.code, 0) << done.err;
    return out;
  }();
  return path;
}

Trainings::Quality Trainings::evaluate(const std::string& model, const std::string& file,
                                       Policy policy) {
  const Result<Model> loaded = Model::load(model);
  const Result<Dataset> data = load_examples(file);
  if (!loaded || !data) throw std::runtime_error(model + ", " + file + ": cannot be read");
  Session session(*loaded);
  double right = 0, skimmed = 0, steps = 0;
  for (const Example& example : data->examples) {
    const Result<Reading> reading = session.read(example.query, policy);
    EXPECT_TRUE(reading.has_value());
    right += reading->answer.text == example.label ? 1 : 0;
    for (const Pass& pass : reading->trace) {
      for (const Step& step : pass.steps) skimmed += step.width < pass.hidden_size ? 1 : 0;
      steps += static_cast<double>(pass.steps.size());
    }
  }
  return {right / static_cast<double>(data->examples.size()), skimmed / steps};
}

}  // namespace skim::cli

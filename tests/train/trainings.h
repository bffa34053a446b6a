// Runs of `skim train` in the process of the test. Loading LibTorch takes half a second, which a
// program per run would spend each time. Generated data is written to a folder that is removed at
// the end.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "skim/policy.h"

namespace skim::cli {

// What a run printed and returned.
struct Outcome {
  int code = 0;
  std::string out, err;
};

using Given = std::vector<std::string>;

class Trainings : public testing::Test {
 protected:
  // The path of a file in the folder.
  static std::string at(std::string_view name);
  static std::string read(const std::string& path);
  static void write(const std::string& path, std::string_view text);

  static Outcome train(const Given& options);
  // The same, stopped by a signal after the first evaluation on dev, which `log` gets.
  static Outcome train_and_stop(Given options, const std::string& log);
  static Outcome compare(const Given& arguments);
  // The options of a run of a fraction of a second on 300 texts; `given` comes after them and
  // replaces those of the same name.
  static Given quick(const std::string& out, const Given& given = {});
  // The same for --task cloze, span or bidaf.
  static Given quick_questions(const std::string& task, const std::string& out,
                               const Given& given = {});
  // A model that has begun to skim, and the options beside quick() that it was trained with.
  static const std::string& reference();
  static Given reference_options(const Given& more = {});

  struct Quality {
    double accuracy = 0, skim_rate = 0;
  };
  // Reads the labelled texts of `file` with the runtime.
  static Quality evaluate(const std::string& model, const std::string& file, Policy policy = {});
};

}  // namespace skim::cli

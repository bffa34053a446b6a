#include "trainer/teacher.h"

#include <gmock/gmock.h>

#include <random>
#include <sstream>

#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class Distillation : public Trainings {
 protected:
  // A model that has learned the task, and the training texts with random labels, which say nothing
  // about it.
  static void SetUpTestSuite() {
    const Outcome done = train(quick(teacher(), long_enough()));
    ASSERT_EQ(done.code, kSuccess) << done.err;
    std::mt19937 random(1);
    std::istringstream lines(read(at("train.tsv")));
    std::string wrong;
    for (std::string line; std::getline(lines, line);)
      wrong += (random() % 2 == 0 ? "negative" : "positive") + line.substr(line.find('\t')) + "\n";
    write(at("wrong.tsv"), wrong);
  }
  static std::string teacher() { return at("teacher.skim"); }
  static Given long_enough(const Given& more = {}) {
    Given options = {"--max-steps", "300", "--eval-steps", "100", "--learning-rate", "0.005"};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  static void expect_learned(const Given& options) {
    const std::string student = at("student.skim");
    const Outcome done = train(quick(student, long_enough(options)));
    ASSERT_EQ(done.code, kSuccess) << done.err;
    EXPECT_GT(evaluate(student, at("train.tsv")).accuracy, 0.8);
  }
};

TEST_F(Distillation, LearnsWhatTheLabelsDoNotSay) {
  expect_learned({"--train", at("wrong.tsv"), "--teacher", teacher(), "--teacher", teacher(),
                  "--distillation-weight", "1", "--distillation-temperature", "2"});
}

TEST_F(Distillation, LearnsFromCropsThatOnlyTheTeacherLabels) {
  expect_learned({"--train", at("wrong.tsv"), "--teacher", teacher(), "--distillation-weight", "0",
                  "--distillation-crops", "6"});
}

TEST_F(Distillation, RejectsATeacherThatDoesNotFit) {
  const auto expect_refused = [](const Given& options, const std::string& message) {
    const Outcome done = train(options);
    EXPECT_NE(done.code, kSuccess);
    EXPECT_THAT(done.err, HasSubstr(message));
  };
  const std::string out = at("misfit.skim");
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "good\tsome text\nbad\tother text\n";
  write(at("other.tsv"), lines);
  expect_refused(
      quick(out, {"--train", at("other.tsv"), "--dev", at("other.tsv"), "--teacher", teacher()}),
      "does not have the label 'bad'");
  expect_refused(quick(out, {"--teacher", at("none.skim")}), "none.skim");
  expect_refused(quick(out, {"--teacher", teacher(), "--distillation-weight", "2"}),
                 "--distillation-weight");
  expect_refused(quick_questions("span", out, {"--teacher", teacher()}),
                 "answers with labels, expected spans of a text");
}

}  // namespace
}  // namespace skim::cli

// Trainings on sets of labels and on numbers.
#include <gmock/gmock.h>

#include <random>

#include "base/json.h"
#include "file/model_file.h"
#include "skim/session.h"
#include "skim/verify.h"
#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::Lt;

class LabelKinds : public Trainings {
 protected:
  // Texts with 'apple' are about fruit, those with 'car' about traffic. Their numbers are 100, 20
  // more with an apple and 10 less with a car.
  static void SetUpTestSuite() {
    std::mt19937 random(1);
    std::string sets, numbers;
    for (int i = 0; i < 300; ++i) {
      const bool fruit = random() % 2 == 0, traffic = random() % 4 == 0;
      std::string text = fruit ? "an apple" : "nothing";
      for (std::size_t words = random() % 4; words > 0; --words) text += " more";
      if (traffic) text += " a car";
      const std::string labels = std::string(fruit ? "fruit" : "") + (fruit && traffic ? "," : "") +
                                 (traffic ? "traffic" : "");
      sets.append(labels).append("\t").append(text).append("\n");
      const int number = 100 + (fruit ? 20 : 0) - (traffic ? 10 : 0);
      numbers.append(std::to_string(number)).append("\t").append(text).append("\n");
    }
    write(at("sets.tsv"), sets);
    write(at("numbers.tsv"), numbers);
  }
  static Given on(const std::string& task, const std::string& file, const std::string& out,
                  const Given& more = {}) {
    Given options = {"--task",          task,          "--train", at(file),       "--dev",
                     at(file),          "--max-steps", "150",     "--eval-steps", "50",
                     "--learning-rate", "0.01",        "--json"};
    options.insert(options.end(), more.begin(), more.end());
    return quick(at(out), options);
  }
  static Given on_sets(const std::string& out, const Given& more = {}) {
    return on("multilabel", "sets.tsv", out, more);
  }
  static Given on_numbers(const std::string& out, const Given& more = {}) {
    return on("regress", "numbers.tsv", out, more);
  }
  static Json result(const Outcome& done) {
    EXPECT_EQ(done.code, kSuccess) << done.err;
    return parse_json(done.out, "the result").value_or(Json::object());
  }
  static Model load(const std::string& name) { return Model::load(at(name)).value(); }
  static void expect_same_answers(const std::string& model, const std::string& file) {
    const Outcome same = compare({at(model), at(file), "--json"});
    EXPECT_EQ(same.code, kSuccess) << same.out << same.err;
    const Result<VerifyReport> verified = verify(load(model));
    ASSERT_TRUE(verified.has_value()) << verified.error().message;
    EXPECT_TRUE(verified->ok()) << verified->messages.front();
  }
  static void expect_refused(const Given& options, const std::string& message) {
    const Outcome done = train(options);
    EXPECT_NE(done.code, kSuccess);
    EXPECT_THAT(done.err, HasSubstr(message));
  }
};

TEST_F(LabelKinds, LearnsSetsOfLabels) {
  const Json told = result(train(on_sets("sets.skim", {"--test", at("sets.tsv")})));
  EXPECT_THAT(told["dev_micro_f1"].get<double>(), Gt(0.95));
  EXPECT_EQ(told["test_micro_f1"], told["dev_micro_f1"]);
  EXPECT_FALSE(told.contains("dev_accuracy"));
  const Model model = load("sets.skim");
  EXPECT_THAT(model.spec().labels, ElementsAre("fruit", "traffic"));
  EXPECT_EQ(model.calibration().label_thresholds.size(), 2U);
  Session session(model);
  EXPECT_THAT(session.read({"an apple more a car", {}, {}}).value().labels, ElementsAre(0, 1));
  EXPECT_THAT(session.read({"nothing more", {}, {}}).value().labels, ElementsAre());
  expect_same_answers("sets.skim", "sets.tsv");
}

TEST_F(LabelKinds, ADenseModelHasThresholdsOfLabels) {
  const Json told = result(train(on_sets("dense.skim", {"--reader", "dense", "--pooling", "max"})));
  EXPECT_THAT(told["dev_micro_f1"].get<double>(), Gt(0.95));
  EXPECT_EQ(load("dense.skim").calibration().label_thresholds.size(), 2U);
}

TEST_F(LabelKinds, DistillsSetsOfLabels) {
  result(train(on_sets("teacher.skim")));
  const Json told = result(
      train(on_sets("student.skim", {"--teacher", at("teacher.skim"), "--distillation-weight", "1",
                                     "--distillation-temperature", "2"})));
  EXPECT_THAT(told["dev_micro_f1"].get<double>(), Gt(0.95));
  expect_refused(quick(at("other.skim"), {"--teacher", at("teacher.skim")}),
                 "answers with any number of labels, expected labels from a teacher");
}

TEST_F(LabelKinds, LearnsNumbers) {
  for (const char* loss : {"mse", "huber"}) {
    const Json told =
        result(train(on_numbers("numbers.skim", {"--loss", loss, "--test", at("numbers.tsv")})));
    EXPECT_THAT(told["dev_rmse"].get<double>(), Lt(4)) << loss;
    EXPECT_THAT(told["dev_spearman"].get<double>(), Gt(0.8)) << loss;
    EXPECT_EQ(told["test_mae"], told["dev_mae"]);
    Session session(load("numbers.skim"));
    EXPECT_NEAR(session.read({"an apple", {}, {}}).value().answer.value, 120, 6) << loss;
    expect_same_answers("numbers.skim", "numbers.tsv");
  }
}

TEST_F(LabelKinds, DistillsNumbers) {
  result(train(on_numbers("number-teacher.skim")));
  const Json told =
      result(train(on_numbers("number-student.skim", {"--teacher", at("number-teacher.skim"),
                                                      "--distillation-weight", "1"})));
  EXPECT_THAT(told["dev_rmse"].get<double>(), Lt(5));
}

// The last layer of the file predicts numbers; that of the training predicts standardized ones.
TEST_F(LabelKinds, StartsFromWhatAModelPredicts) {
  const Json before = result(train(on_numbers("start.skim")));
  const Json after =
      result(train(on_numbers("again.skim", {"--start-from", at("start.skim"), "--max-steps", "1",
                                             "--eval-steps", "1", "--learning-rate", "1e-9"})));
  EXPECT_NEAR(after["dev_rmse"].get<double>(), before["dev_rmse"].get<double>(), 1e-3);
  const Json sets = result(train(on_sets("start-sets.skim")));
  const Json again = result(
      train(on_sets("again-sets.skim", {"--start-from", at("start-sets.skim"), "--max-steps", "1",
                                        "--eval-steps", "1", "--learning-rate", "1e-9"})));
  EXPECT_EQ(again["dev_micro_f1"], sets["dev_micro_f1"]);
}

TEST_F(LabelKinds, TheLogNamesTheMetric) {
  const std::string log = at("kinds.log");
  result(train(on_sets("logged.skim", {"--log", log})));
  EXPECT_THAT(read(log), HasSubstr("\"dev_micro_f1\":"));
  result(train(on_numbers("logged.skim", {"--log", log})));
  EXPECT_THAT(read(log), HasSubstr("\"dev_r2\":"));
}

TEST_F(LabelKinds, ResumesToTheSameFile) {
  for (const Given& options : {on_sets("whole.skim"), on_numbers("whole.skim")}) {
    std::filesystem::remove(at("resumed.log"));
    result(train(options));
    Given again = options;
    *std::find(again.begin(), again.end(), at("whole.skim")) = at("resumed.skim");
    train_and_stop(again, at("resumed.log"));
    again.emplace_back("--resume");
    EXPECT_EQ(train(again).code, kSuccess);
    EXPECT_EQ(read(at("resumed.skim")), read(at("whole.skim")));
  }
}

TEST_F(LabelKinds, HintsAtSetsOfLabels) {
  const Outcome done = train(quick(
      at("hint.skim"), {"--train", at("sets.tsv"), "--dev", at("sets.tsv"), "--max-steps", "1"}));
  EXPECT_THAT(done.err, HasSubstr("the label is empty"));
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += "a\tx\nb\ty\na,b\tx y\n";
  write(at("lists.tsv"), lines);
  const Outcome hinted =
      train(quick(at("hint.skim"), {"--train", at("lists.tsv"), "--dev", at("lists.tsv"),
                                    "--max-steps", "1", "--eval-steps", "1"}));
  EXPECT_EQ(hinted.code, kSuccess) << hinted.err;
  EXPECT_THAT(hinted.err, HasSubstr("--task multilabel learns several labels per text"));
}

// Three quarters of the texts have the label 'a', whatever they say.
TEST_F(LabelKinds, WeighsClassesAndTexts) {
  std::string lines, weighted;
  for (int i = 0; i < 80; ++i) {
    const bool rare = i % 4 == 0;
    const std::string label = rare ? "b" : "a";
    lines += label + "\tsame text\n";
    weighted +=
        Json{{"label", label}, {"text", "same text"}, {"weight", rare ? 9 : 1}}.dump() + "\n";
  }
  write(at("skewed.tsv"), lines);
  write(at("skewed.jsonl"), weighted);
  // The temperature is fitted on dev without weights, so it would hide their effect on the score.
  const auto score_of_b = [](const std::string& file, Given more) {
    more.emplace_back("--no-temperature");
    const Outcome done = train(on("classify", file, "skewed.skim", more));
    EXPECT_EQ(done.code, kSuccess) << done.err;
    return Session(load("skewed.skim")).read({"same text", {}, {}}).value().scores[1];
  };
  EXPECT_NEAR(score_of_b("skewed.tsv", {}), 0.25, 0.1);
  EXPECT_NEAR(score_of_b("skewed.tsv", {"--class-weights", "balanced"}), 0.5, 0.1);
  EXPECT_NEAR(score_of_b("skewed.tsv", {"--class-weights", "b=9"}), 0.75, 0.1);
  EXPECT_NEAR(score_of_b("skewed.jsonl", {}), 0.75, 0.1);
}

TEST_F(LabelKinds, WeighsLabelsOfSets) {
  const auto score_of_traffic = [](const Given& more) {
    Given options = {"--max-steps", "40", "--learning-rate", "0.001"};
    options.insert(options.end(), more.begin(), more.end());
    result(train(on_sets("weighted.skim", options)));
    return Session(load("weighted.skim")).read({"more", {}, {}}).value().scores[1];
  };
  const float plain = score_of_traffic({});
  EXPECT_GT(score_of_traffic({"--class-weights", "balanced"}), plain);
  EXPECT_LT(score_of_traffic({"--class-weights", "traffic=0.1"}), plain);
}

// Lines with scores of a teacher, some of them with a wrong label, some without, some without
// scores.
TEST_F(LabelKinds, LearnsFromSoftLabels) {
  std::string lines, truth;
  for (int i = 0; i < 120; ++i) {
    const bool fruit = i % 2 == 0;
    const std::string text = fruit ? "an apple" : "a car";
    Json line = {{"text", text}};
    if (i % 3 != 0) line["scores"] = {{"fruit", fruit ? 0.8 : 0.2}, {"traffic", fruit ? 0.2 : 0.8}};
    if (i % 3 == 0) line["label"] = fruit ? "fruit" : "traffic";
    if (i % 3 == 1) line["label"] = "fruit";
    lines += line.dump() + "\n";
    truth += std::string(fruit ? "fruit" : "traffic") + "\t" + text + "\n";
  }
  write(at("soft.jsonl"), lines);
  write(at("truth.tsv"), truth);
  const Json told = result(
      train(on("classify", "soft.jsonl", "soft.skim",
               {"--distillation-weight", "1", "--test", at("truth.tsv"), "--max-steps", "300"})));
  EXPECT_EQ(told["test_accuracy"], 1);
  // Two thirds of the texts have the soft label 0.8, one third the label.
  const Reading reading = Session(load("soft.skim")).read({"an apple", {}, {}}).value();
  EXPECT_NEAR(reading.answer.score, (2 * 0.8 + 1) / 3, 0.06);
  const Json sets = result(train(on("multilabel", "soft.jsonl", "soft.skim",
                                    {"--distillation-weight", "1", "--test", at("truth.tsv")})));
  EXPECT_EQ(sets["test_micro_f1"], 1);
}

TEST_F(LabelKinds, RefusesWhatDoesNotFit) {
  expect_refused(on_numbers("x.skim", {"--class-weights", "balanced"}), "--class-weights is for");
  expect_refused(on_sets("x.skim", {"--class-weights", "x=2"}), "no text has the label 'x'");

  expect_refused(quick(at("x.skim"), {"--loss", "huber"}), "--loss is for --task regress");
  expect_refused(on_sets("x.skim", {"--reader", "lstm-jump"}), "--reader lstm-jump");
  expect_refused(on_numbers("x.skim", {"--reader", "lstm-jump"}), "--reader lstm-jump");
  expect_refused(on_numbers("x.skim", {"--train", at("train.tsv")}), "is not a finite number");
  write(at("same.tsv"), "3\ta\n3\tb\n");
  expect_refused(on("regress", "same.tsv", "x.skim"), "expected numbers that differ");
  write(at("none.tsv"), "\ta\n\tb\n");
  expect_refused(on("multilabel", "none.tsv", "x.skim"), "no text has a label");
}

}  // namespace
}  // namespace skim::cli

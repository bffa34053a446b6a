#include "trainer/train_options.h"

#include <gmock/gmock.h>

#include <optional>
#include <type_traits>

#include "tests/train/trainings.h"
#include "train/options_table.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class TrainOptionsErrors : public Trainings {
 protected:
  // Expects that training with these options is refused and writes no model.
  static void expect_refused(const Given& options, int code, const std::string& message) {
    SCOPED_TRACE(testing::PrintToString(options));
    const Outcome done = train(options);
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_EQ(done.out, "");
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
  static void expect_quick_refused(const Given& options, int code, const std::string& message) {
    expect_refused(quick(out(), options), code, message);
  }
  static std::string out() { return at("never.skim"); }
};

TEST_F(TrainOptionsErrors, NameMissingFiles) {
  expect_refused({"--out", out()}, kUsageError, "--train is missing");
  expect_refused({"--train", at("train.tsv")}, kUsageError, "--out is missing");
  expect_refused({"--train", at("none.tsv"), "--out", out()}, kFailure, "none.tsv");
}

// They were found at the end of training, or after a minute of it.
TEST_F(TrainOptionsErrors, NameOutputsThatCannotBeWrittenBeforeTraining) {
  const auto expect_unwritable = [](const Given& options, const std::string& message) {
    expect_refused(quick(out(), options), kFailure, message);
    EXPECT_THAT(train(quick(out(), options)).err, testing::Not(HasSubstr("reading")));
  };
  const std::string missing = at("missing/m"), below_a_file = at("train.tsv") + "/m";
  std::filesystem::create_directory(at("folder"));
  for (const char* option : {"--out", "--log"}) {
    expect_unwritable({option, missing}, "does it exist");
    expect_unwritable({option, below_a_file}, "Not a directory");
    expect_unwritable({option, at("folder")}, "is a directory, not a file");
  }
  expect_unwritable({"--checkpoint", below_a_file}, "cannot be created");
  EXPECT_FALSE(std::filesystem::exists(at("missing")));
  expect_quick_refused({"--checkpoint", out()}, kUsageError, "the same file as --out");
}

TEST_F(TrainOptionsErrors, NameTheLineOfBadData) {
  write(at("one-label.tsv"), "a\tsome text\na\tmore text\n");
  expect_refused({"--train", at("one-label.tsv"), "--out", out()}, kFailure, "label");
  write(at("no-tab.tsv"), "a\tsome text\nno tab here\n");
  expect_refused({"--train", at("no-tab.tsv"), "--out", out()}, kFailure, "2");
}

TEST_F(TrainOptionsErrors, NameNumbersOutOfRange) {
  expect_quick_refused({"--skim-size", "40"}, kFailure, "skim");
  expect_quick_refused({"--dropout", "1"}, kUsageError, "dropout");
  expect_quick_refused({"--temperature-decay", "-1"}, kUsageError,
                       "--temperature-decay is '-1', expected a finite number (at least 0)");
  expect_quick_refused({"--batch-size", "0"}, kUsageError,
                       "--batch-size is '0', expected a whole number (at least 1)");
  expect_quick_refused({"--threads", "100000"}, kUsageError,
                       "--threads is '100000', expected a whole number (from 0 to 1024)");
  expect_quick_refused({"--group-timeout", "1e300"}, kUsageError,
                       "--group-timeout is '1e300', expected a finite number (above 0 and");
  expect_quick_refused({"--skim-size", "4,,2"}, kUsageError,
                       "--skim-size is '4,,2', expected whole numbers, separated by commas");
}

// Calls visit(name) for every option that takes numbers.
template <class Visitor>
void visit_number_options(Visitor visit) {
  train::Job job;
  train::visit_options(job, [&](const train::OptionInfo& option, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr ((std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) ||
                  std::is_same_v<Field, std::optional<double>> ||
                  std::is_same_v<Field, std::vector<int>>)
      visit(std::string(option.name));
  });
}

TEST_F(TrainOptionsErrors, NameEveryOptionWhoseValueIsNoFiniteNumber) {
  int count = 0;
  visit_number_options([&](const std::string& name) {
    ++count;
    for (const std::string value : {"nan", "inf", "-inf", "1e999", "", " ", "1x"}) {
      const Outcome done = train({"--train", at("train.tsv"), "--out", out(), name, value});
      EXPECT_EQ(done.code, kUsageError) << name << " '" << value << "': " << done.err;
      EXPECT_THAT(done.err, HasSubstr(name + " is '" + value + "', expected "));
    }
  });
  EXPECT_GT(count, 30);
}

TEST_F(TrainOptionsErrors, LeaveTheLastValueOfAListInForce) {
  TrainOptions chosen;
  const std::vector<const char*> arguments = {"--train",     "t.tsv", "--out",       "m.skim",
                                              "--skim-size", "9,8,7", "--skim-size", "20,0"};
  ASSERT_FALSE(parse_train_options(arguments, chosen).has_value());
  EXPECT_THAT(chosen.job.spec.reader.skim_sizes, testing::ElementsAre(20, 0));
  EXPECT_EQ(chosen.job.fit.adam.learning_rate, train::AdamOptions().learning_rate);
}

TEST_F(TrainOptionsErrors, NameTheNewFormOfAFormerOption) {
  expect_quick_refused({"--crops"}, kUsageError, "--crops is now --random-crop");
  expect_quick_refused({"--hidden=20"}, kUsageError, "--hidden is now --hidden-size");
  expect_quick_refused({"--reader", "full"}, kUsageError, "--reader full is now --reader dense");
  expect_quick_refused({"--words", "fixed"}, kUsageError,
                       "--words fixed is now --freeze-embeddings");
}

TEST_F(TrainOptionsErrors, NameOptionsThatDoNotFitTogether) {
  expect_quick_refused({"--estimator", "none"}, kUsageError, "--start-from");
  expect_quick_refused({"--max-steps", "3", "--pretrain-steps", "3"}, kUsageError,
                       "--pretrain-steps must be fewer");
  expect_quick_refused({"--chrono-init", "100", "--cell", "gru"}, kUsageError,
                       "--chrono-init is for --cell lstm");
  expect_quick_refused({"--gamma", "0.1", "--target-rate", "0.5"}, kUsageError, "--target-rate");
  expect_quick_refused({"--distillation-crops", "2"}, kUsageError, "needs a --teacher");
}

TEST_F(TrainOptionsErrors, NameWhatAnLstmJumpReaderCannotDo) {
  const auto expect_jump_refused = [](Given options, int code, const std::string& message) {
    options.insert(options.begin(), {"--reader", "lstm-jump"});
    expect_quick_refused(options, code, message);
  };
  expect_jump_refused({"--jump", "3,4"}, kUsageError, "R,K,N");
  expect_jump_refused({"--target-rate", "0.5"}, kUsageError, "reward");
  expect_jump_refused({"--jump-over", "sentences", "--bidirectional"}, kUsageError,
                      "one direction");
  write(at("unpunctuated.tsv"), "a\tsome text\nb\tmore text\n");
  expect_jump_refused({"--jump-over", "sentences", "--train", at("unpunctuated.tsv"), "--dev",
                       at("unpunctuated.tsv")},
                      kFailure, "no sentence");
  expect_quick_refused({"--jump-over", "sentences"}, kUsageError, "--reader lstm-jump");
}

TEST_F(TrainOptionsErrors, NameTasksThatDoNotFitTheData) {
  const std::string questions = at("train.json"), cloze = at("train.txt");
  const auto expect_task_refused = [](Given options, const std::string& message) {
    SCOPED_TRACE(testing::PrintToString(options));
    options.insert(options.end(), {"--out", out()});
    const Outcome done = train(options);
    EXPECT_NE(done.code, kSuccess);
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(out()));
  };
  expect_task_refused({"--train", questions}, "train on it with --task span");
  expect_task_refused({"--train", cloze}, "train on it with --task cloze");
  expect_task_refused({"--task", "span", "--train", cloze}, "has no answer in the text");
  expect_task_refused({"--task", "cloze", "--train", questions}, "has no choices");
  const Given span = {"--task", "span", "--train", questions};
  const auto with = [](Given options, const Given& more) {
    options.insert(options.end(), more.begin(), more.end());
    return options;
  };
  expect_task_refused(with(span, {"--reader", "lstm-jump"}), "--reader lstm-jump");
  expect_task_refused(with(span, {"--random-crop"}), "--random-crop");
  expect_task_refused(with(span, {"--teacher", "t.skim", "--distillation-crops", "2"}),
                      "--distillation-crops");
  expect_task_refused(with(span, {"--adversarial", "1"}), "--adversarial");
  expect_task_refused({"--task", "cloze", "--train", cloze, "--pooling", "max"}, "--pooling");
}

}  // namespace
}  // namespace skim::cli

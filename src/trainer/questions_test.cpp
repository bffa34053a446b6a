// Training on questions: determinism, resuming, and parity with the runtime.
#include <gmock/gmock.h>

#include "base/json.h"
#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class Questions : public Trainings {
 protected:
  // Expects that trainer and runtime agree on every answer and decision.
  static void expect_parity(const std::string& model, const std::string& file,
                            const Given& options = {}) {
    Given arguments = {model, file, "--limit", "60", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome done = compare(arguments);
    EXPECT_EQ(done.code, kSuccess) << done.out << done.err;
    const Result<Json> compared = parse_json(done.out, "the comparison");
    ASSERT_TRUE(compared.has_value()) << done.out;
    EXPECT_EQ((*compared)["queries"], 60);
    EXPECT_EQ((*compared)["equal_answers"], 60);
    EXPECT_EQ((*compared)["equal_decisions"], (*compared)["steps"]);
    EXPECT_LT((*compared)["max_score_error"].get<double>(), 1e-4);
  }
};

TEST_F(Questions, TwoThreadsAndAResumedRunGiveTheSameFile) {
  for (const std::string task : {"span", "bidaf"}) {
    SCOPED_TRACE(task);
    const std::string whole = at(task + "-whole.skim"), two = at(task + "-two.skim"),
                      stopped = at(task + "-stopped.skim"), log = at(task + ".jsonl");
    ASSERT_EQ(train(quick_questions(task, whole, {"--bidirectional"})).code, kSuccess);
    ASSERT_EQ(train(quick_questions(task, two, {"--bidirectional", "--threads", "2"})).code,
              kSuccess);
    EXPECT_EQ(read(whole), read(two));
    const Given options = quick_questions(task, stopped, {"--bidirectional"});
    const Outcome first = train_and_stop(options, log);
    EXPECT_EQ(first.code, kFailure);
    EXPECT_THAT(first.err, HasSubstr("--resume continues"));
    Given resumed = options;
    resumed.insert(resumed.end(), {"--log", log, "--resume"});
    const Outcome second = train(resumed);
    EXPECT_EQ(second.code, kSuccess) << second.err;
    EXPECT_THAT(second.err, HasSubstr("resumed after step"));
    EXPECT_EQ(read(whole), read(stopped));
  }
}

TEST_F(Questions, TrainerAndRuntimeAgreeOnJumpsOverSentences) {
  const std::string model = at("jumps.skim");
  const Outcome done = train(quick_questions(
      "cloze", model, {"--reader", "lstm-jump", "--jump", "1,3,5", "--jump-over", "sentences"}));
  ASSERT_EQ(done.code, kSuccess) << done.err;
  expect_parity(model, at("dev.txt"));
  expect_parity(model, at("dev.txt"), {"--threshold", "1"});
}

TEST_F(Questions, RejectATeacherOfAnotherTask) {
  const std::string cloze = at("cloze.skim");
  ASSERT_EQ(train(quick_questions("cloze", cloze, {"--max-steps", "1"})).code, kSuccess);
  const Outcome done = train(quick_questions("span", at("misfit.skim"), {"--teacher", cloze}));
  EXPECT_EQ(done.code, kFailure);
  EXPECT_THAT(done.err, HasSubstr("answers with choices, expected spans of a text"));
}

TEST_F(Questions, CompareNamesAMissingModel) {
  const Outcome done = compare({at("none.skim"), at("dev.txt")});
  EXPECT_EQ(done.code, kFailure);
  EXPECT_THAT(done.err, HasSubstr("none.skim"));
}

}  // namespace
}  // namespace skim::cli

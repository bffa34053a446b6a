// Checkpoints of skim train: what --resume accepts, and what divergence leaves.
#include <gmock/gmock.h>

#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class Checkpoints : public Trainings {
 protected:
  // A training that was stopped after its first evaluation on dev.
  void SetUp() override {
    std::filesystem::remove_all(folder());
    std::filesystem::remove(out());
    std::filesystem::remove(at("stopped.jsonl"));
    const Outcome done =
        train_and_stop(quick(out(), {"--max-steps", "100000"}), at("stopped.jsonl"));
    ASSERT_EQ(done.code, kFailure) << done.err;
    ASSERT_THAT(done.err, HasSubstr("--resume"));
    ASSERT_TRUE(std::filesystem::exists(checkpoint()));
    ASSERT_FALSE(std::filesystem::exists(out()));
  }
  static std::string out() { return at("stopped.skim"); }
  static std::string folder() { return out() + ".checkpoint"; }
  static std::string checkpoint() { return folder() + "/checkpoint.safetensors"; }

  static void expect_refused(const Given& options, const std::string& message) {
    const Outcome done = train(quick(out(), options));
    EXPECT_EQ(done.code, kFailure);
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
};

TEST_F(Checkpoints, OfOtherOptionsAreRejected) {
  expect_refused({"--resume", "--seed", "2"}, "other options");
}

TEST_F(Checkpoints, ThatAreDamagedAreRejected) {
  std::string bytes = read(checkpoint());
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  write(checkpoint(), bytes);
  expect_refused({"--resume", "--max-steps", "100000"}, "damaged");
}

// An empty one was no checkpoint: training started from scratch and replaced it, with --quiet
// without a word.
TEST_F(Checkpoints, ThatAreEmptyOrTruncatedAreRejected) {
  const std::string whole = read(checkpoint());
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, whole.size() / 2}) {
    SCOPED_TRACE(size);
    write(checkpoint(), whole.substr(0, size));
    expect_refused({"--resume", "--quiet"}, "delete it, or start without --resume");
    EXPECT_EQ(read(checkpoint()), whole.substr(0, size));
  }
}

TEST_F(Checkpoints, WriteTheBestModelSoFarWithASmallerMaxSteps) {
  const Outcome done = train(quick(out(), {"--max-steps", "1", "--resume"}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_TRUE(std::filesystem::exists(out()));
}

// Training went on to the end, and checkpoints with weights that are not finite replaced good ones.
TEST_F(Checkpoints, StayWhenTrainingDiverges) {
  const std::string before = read(checkpoint());
  // 1e39 is infinite as a float, so the first update is not finite, either.
  for (const auto& [rate, what] : {std::pair("1e30", "the loss"), std::pair("1e39", "a weight")}) {
    const Outcome done = train(quick(out(), {"--resume", "--learning-rate", rate, "--max-steps",
                                             "100000", "--log", at("diverged.jsonl")}));
    EXPECT_EQ(done.code, kFailure);
    EXPECT_THAT(done.err, HasSubstr(std::string(what) + " is not finite"));
    EXPECT_THAT(done.err, HasSubstr("the last checkpoint is of step "));
    EXPECT_THAT(done.err, HasSubstr(checkpoint()));
    EXPECT_EQ(read(checkpoint()), before);
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
  const Outcome lower = train(quick(out(), {"--resume", "--learning-rate", "1e-4"}));
  EXPECT_EQ(lower.code, kSuccess) << lower.err;
  EXPECT_THAT(lower.err, HasSubstr("resumed after step"));
}

class Divergence : public Trainings {};

// Training took all its steps; then the runtime refused the model.
TEST_F(Divergence, EndsTrainingAtTheFirstStepThatIsNotFinite) {
  const std::string out = at("diverging.skim");
  write(out, "the model before");
  const Outcome done = train(quick(
      out, {"--learning-rate", "1e30", "--max-steps", "100000", "--patience-steps", "99999"}));
  EXPECT_EQ(done.code, kFailure);
  EXPECT_THAT(done.err, HasSubstr("step 2: the loss is not finite; --learning-rate 1e+30 is "
                                  "probably too high; no model was written; no checkpoint was "
                                  "written yet: start again with a lower rate"));
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(read(out), "the model before");
  EXPECT_FALSE(std::filesystem::exists(out + ".checkpoint"));
}

}  // namespace
}  // namespace skim::cli

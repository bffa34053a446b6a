#include "train/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace skim::train {
namespace {

// A folder that is removed at the end.
class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("skim-checkpoint-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CheckpointTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "checkpoint.safetensors"; }

  std::vector<std::byte> written(const Fit::State& state, const std::string& config) const {
    const Result<void> done = write_checkpoint(path(), state, config);
    EXPECT_TRUE(done.has_value()) << done.error().message;
    const Result<MappedFile> file = MappedFile::open(path());
    EXPECT_TRUE(file.has_value());
    return {file->bytes().begin(), file->bytes().end()};
  }

  std::filesystem::path folder_;
};

Fit::State sample_state() {
  Fit::State state;
  state.step = 1234;
  state.skim_start_step = 100;
  state.loss = 0.1;  // not exact in binary
  state.skim_rate = 1.0 / 3;
  state.seconds = 5.5;
  state.arrays = {{"weights/head.bias", {0.1F, -2}}, {"empty", {}}};
  state.ema_steps = {0, 7, 1233};
  state.best.step = 1000;
  state.best.score = {0.875, 0.3, 0.6};
  state.best.weights = {{"head.bias", {1.5F}}};
  state.best.embeddings = {3, 4, 5};
  return state;
}

TEST_F(CheckpointTest, KeepsEveryFieldExactly) {
  const Fit::State state = sample_state();
  const Result<Fit::State> loaded = parse_checkpoint(written(state, "{}"), "checkpoint", "{}");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->step, state.step);
  EXPECT_EQ(loaded->skim_start_step, state.skim_start_step);
  EXPECT_EQ(loaded->loss, state.loss);
  EXPECT_EQ(loaded->skim_rate, state.skim_rate);
  EXPECT_EQ(loaded->seconds, state.seconds);
  EXPECT_EQ(loaded->arrays, state.arrays);
  EXPECT_EQ(loaded->ema_steps, state.ema_steps);
  EXPECT_EQ(loaded->best.step, state.best.step);
  EXPECT_EQ(loaded->best.score.accuracy, state.best.score.accuracy);
  EXPECT_EQ(loaded->best.score.loss, state.best.score.loss);
  EXPECT_EQ(loaded->best.score.skim_rate, state.best.score.skim_rate);
  EXPECT_EQ(loaded->best.weights, state.best.weights);
  EXPECT_EQ(loaded->best.embeddings, state.best.embeddings);
}

TEST_F(CheckpointTest, ANewCheckpointReplacesTheOldOne) {
  Fit::State state = sample_state();
  written(state, "{}");
  state.step = 1;
  const Result<Fit::State> loaded = parse_checkpoint(written(state, "{}"), "checkpoint", "{}");
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->step, 1);
  const auto files = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "no temporary file is left";
}

TEST_F(CheckpointTest, AnotherConfigurationIsRejected) {
  const auto bytes = written(sample_state(), R"({"seed": 1, "max_steps": 10})");
  const Result<Fit::State> other =
      parse_checkpoint(bytes, "checkpoint", R"({"seed": 2, "max_steps": 10})");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().fault, Fault::mismatch);
}

TEST_F(CheckpointTest, TrainingMayGoOnForLongerThanPlanned) {
  const auto bytes = written(sample_state(), R"({"seed": 1, "max_steps": 10})");
  EXPECT_TRUE(parse_checkpoint(bytes, "", R"({"seed": 1, "max_steps": 20})").has_value());
  // Where pretraining takes a share of all steps, their number is part of the config.
  const auto planned = written(sample_state(), R"({"pretrain_fully": true, "max_steps": 10})");
  EXPECT_FALSE(
      parse_checkpoint(planned, "", R"({"pretrain_fully": true, "max_steps": 20})").has_value());
}

TEST_F(CheckpointTest, DamageIsFound) {
  const auto whole = written(sample_state(), "{}");
  for (const std::size_t place : {whole.size() - 1, whole.size() - 20, std::size_t{9}}) {
    auto damaged = whole;
    damaged[place] ^= std::byte{1};
    EXPECT_FALSE(parse_checkpoint(damaged, "checkpoint", "{}").has_value()) << place;
  }
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_FALSE(parse_checkpoint(std::span(whole).first(length), "checkpoint", "{}").has_value())
        << length;
  }
}

TEST_F(CheckpointTest, AMissingFolderIsAnError) {
  const Result<void> done = write_checkpoint(folder_ / "missing" / "file", sample_state(), "{}");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().fault, Fault::io);
}

}  // namespace
}  // namespace skim::train

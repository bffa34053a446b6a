#include "train/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "base/file.h"
#include "file/safetensors.h"

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

  std::vector<std::byte> written(const TrainingState& state, const std::string& config) const {
    const Result<void> done = write_checkpoint(path(), state, config);
    EXPECT_TRUE(done.has_value()) << done.error().message;
    const Result<MappedFile> file = MappedFile::open(path());
    EXPECT_TRUE(file.has_value());
    return {file->bytes().begin(), file->bytes().end()};
  }

  std::filesystem::path folder_;
};

TrainingState sample_state() {
  TrainingState state;
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
  const TrainingState state = sample_state();
  const Result<TrainingState> loaded = parse_checkpoint(written(state, "{}"), "checkpoint", "{}");
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
  TrainingState state = sample_state();
  written(state, "{}");
  state.step = 1;
  const Result<TrainingState> loaded = parse_checkpoint(written(state, "{}"), "checkpoint", "{}");
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->step, 1);
  const auto files = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "no temporary file is left";
}

TEST_F(CheckpointTest, AnotherConfigurationIsRejected) {
  const auto bytes = written(sample_state(), R"({"seed": 1, "max_steps": 10})");
  const Result<TrainingState> other =
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

// The way out of a training that diverged.
TEST_F(CheckpointTest, TrainingMayGoOnWithAnotherLearningRate) {
  const auto bytes =
      written(sample_state(), R"({"pretrain_fully": true, "learning_rate": 0.1, "seed": 1})");
  EXPECT_TRUE(
      parse_checkpoint(bytes, "", R"({"pretrain_fully": true, "learning_rate": 0.01, "seed": 1})")
          .has_value());
  EXPECT_FALSE(
      parse_checkpoint(bytes, "", R"({"pretrain_fully": true, "learning_rate": 0.01, "seed": 2})")
          .has_value());
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

// The container of a checkpoint, to damage in ways that its checksums do not show.
std::vector<std::byte> make_container(const std::string& progress, const TensorBytes& tensor,
                                      const std::string& config = "{}") {
  return serialize_container({{"skim_checkpoint", "2"}, {"config", config}, {"state", progress}},
                             {tensor});
}

const TensorBytes kOneFloat = {"head.bias", DataType::f32, {1}, std::vector<std::byte>(4)};
const char* const kProgress =
    R"({"step":1,"skim_start_step":0,"loss":0.5,"skim_rate":0,"seconds":1,"best_step":1,)"
    R"("best":{"accuracy":0,"loss":0,"skim_rate":0}})";

std::string checkpoint_error(const std::vector<std::byte>& bytes) {
  const Result<TrainingState> parsed = parse_checkpoint(bytes, "checkpoint", "{}");
  return parsed ? "(no error)" : parsed.error().message;
}

// Five bytes were copied into one float.
TEST(CheckpointContents, ATensorOfAnotherTypeIsRejected) {
  EXPECT_EQ(checkpoint_error(make_container(kProgress, kOneFloat)), "(no error)");
  const TensorBytes bytes = {"head.bias", DataType::u8, {5}, std::vector<std::byte>(5)};
  EXPECT_EQ(checkpoint_error(make_container(kProgress, bytes)),
            "checkpoint: tensor 'head.bias' has type U8, expected F32");
  const TensorBytes steps = {"ema_steps", DataType::f32, {1}, std::vector<std::byte>(4)};
  EXPECT_EQ(checkpoint_error(make_container(kProgress, steps)),
            "checkpoint: tensor 'ema_steps' has type F32, expected U32");
}

// They threw.
TEST(CheckpointContents, ProgressThatIsNotANumberIsRejected) {
  EXPECT_EQ(checkpoint_error(make_container("[]", kOneFloat)),
            "checkpoint: state must be an object");
  EXPECT_EQ(checkpoint_error(make_container(R"({"step":"1"})", kOneFloat)),
            "checkpoint: state.step must be a whole number from 0 to 9223372036854775807");
}

// A loss of NaN is null in JSON, which threw on --resume.
TEST(CheckpointContents, ALossOfNanIsKept) {
  TrainingState state = sample_state();
  state.loss = state.best.score.loss = std::numeric_limits<double>::quiet_NaN();
  const auto loaded = parse_checkpoint(serialize_checkpoint(state, "{}"), "checkpoint", "{}");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_TRUE(std::isnan(loaded->loss));
  EXPECT_TRUE(std::isnan(loaded->best.score.loss));
  EXPECT_EQ(loaded->skim_rate, state.skim_rate);
}

// It threw.
TEST(CheckpointContents, AConfigurationWithATextForAFlagIsAnotherOne) {
  const auto bytes = make_container(kProgress, kOneFloat, R"({"pretrain_fully":"yes"})");
  EXPECT_NE(checkpoint_error(bytes).find("made with other options"), std::string::npos);
}

TEST_F(CheckpointTest, AMissingFolderIsAnError) {
  const Result<void> done = write_checkpoint(folder_ / "missing" / "file", sample_state(), "{}");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().fault, Fault::io);
}

}  // namespace
}  // namespace skim::train

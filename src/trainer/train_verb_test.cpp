#include "trainer/train_verb.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "base/json.h"
#include "file/model_file.h"
#include "skim/verify.h"
#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class TrainVerb : public Trainings {
 protected:
  static Json result(const Outcome& done) {
    EXPECT_EQ(done.code, kSuccess) << done.err;
    const Result<Json> json = parse_json(done.out, "the result");
    EXPECT_TRUE(json.has_value()) << done.out;
    return json.value_or(Json::object());
  }
  static std::vector<float> tensor(const std::string& model, std::string_view name) {
    const Result<ModelFile> file = open_model_file(model);
    EXPECT_TRUE(file.has_value()) << model;
    return file ? to_floats(*file, name) : std::vector<float>();
  }
};

TEST_F(TrainVerb, GivesTheSameFileForOneThreadAndTwo) {
  const Outcome done = train(quick(at("two.skim"), reference_options({"--threads", "2"})));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_EQ(read(at("two.skim")), read(reference()));
}

TEST_F(TrainVerb, TrainsAndVerifiesEveryKindOfModel) {
  const std::vector<Given> kinds = {
      {"--reader", "dense", "--ema-decay", "0", "--freeze-embeddings"},
      {"--cell", "gru", "--pooling", "max", "--estimator", "straight-through"},
      {"--cell", "rnn", "--pooling", "mean", "--estimator", "reinforce"},
      {"--skim-size", "8,4,0", "--pooling", "attention", "--target-rate", "0.5"},
      {"--skim-size", "0", "--decision", "dot", "--pretrain-steps", "20"},
      {"--decision", "linear_cell", "--small-input", "full", "--pretrain-fully"},
      {"--num-layers", "2", "--bidirectional", "--adversarial", "2", "--random-crop", "--max-words",
       "10"},
      {"--reader", "lstm-jump", "--jump", "4,6,3", "--jump-in-training", "3,4"},
      {"--reader", "lstm-jump", "--jump", "1,2,3", "--jump-over", "sentences"},
      {"--reader", "skip-rnn", "--cell", "gru", "--gamma", "0.1"},
      {"--reader", "vcrnn", "--target-rate", "0.7", "--pooling", "max"},
      {"--buckets", "200", "--subwords", "2,5", "--subword-dropout", "3", "--adversarial", "0.1"}};
  for (Given kind : kinds) {
    SCOPED_TRACE(testing::PrintToString(kind));
    kind.emplace_back("--json");
    EXPECT_EQ(result(train(quick(at("kind.skim"), kind)))["probes"], 10);
    const Result<Model> model = Model::load(at("kind.skim"));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const Result<VerifyReport> verified = verify(*model);
    ASSERT_TRUE(verified.has_value()) << verified.error().message;
    EXPECT_TRUE(verified->ok()) << verified->messages.front();
  }
}

TEST_F(TrainVerb, FreezesEmbeddingsOfWordsBelowTrainableMinCount) {
  std::set<std::string> words;
  std::istringstream texts(read(at("train.tsv")));
  for (std::string word; texts >> word;) {
    for (char& letter : word) letter = static_cast<char>(std::tolower(letter));
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos)
      words.insert(word);
  }
  words.erase("negative");
  words.erase("positive");
  std::string lines;
  for (const std::string& word : words) {
    lines += word;
    for (int i = 0; i < 16; ++i) lines += " 0.5";
    lines += "\n";
  }
  write(at("embeddings.txt"), lines);
  const auto count_unchanged = [](const std::string& min_count) {
    const std::string out = at("trainable.skim");
    const Outcome done = train(quick(out, {"--embeddings", at("embeddings.txt"), "--max-steps",
                                           "20", "--trainable-min-count", min_count}));
    EXPECT_EQ(done.code, kSuccess) << done.err;
    const std::vector<float> values = tensor(out, "embedding.weight");
    return static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.5F));
  };
  EXPECT_EQ(count_unchanged("1000000"), 16 * words.size());
  EXPECT_LT(count_unchanged("1"), 16 * words.size() / 2);
}

TEST_F(TrainVerb, SplitsOffDevWithoutADevFile) {
  const Outcome done = train({"--train", at("train.tsv"), "--out", at("split.skim"), "--max-steps",
                              "20", "--embeddings", "none", "--buckets", "100"});
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.err, HasSubstr("split off"));
}

TEST_F(TrainVerb, AcceptsEmptyAndVeryLongTexts) {
  std::string good;
  for (int i = 0; i < 100'000; ++i) good += "good ";
  std::string lines;
  for (int i = 0; i < 2; ++i) lines += "a\t" + good + "\nb\tbad\n";
  for (int i = 0; i < 4; ++i) lines += "a\tgood\nb\t-\n";
  write(at("long.tsv"), lines);
  const Outcome done =
      train({"--train", at("long.tsv"), "--dev", at("long.tsv"), "--out", at("long.skim"),
             "--max-steps", "3", "--eval-steps", "3", "--hidden-size", "8", "--skim-size", "2",
             "--embeddings", "none", "--buckets", "100"});
  EXPECT_EQ(done.code, kSuccess) << done.err;
}

TEST_F(TrainVerb, ReportsOnATestFile) {
  const std::string out = at("tested.skim");
  const Json told =
      result(train(quick(out, {"--max-steps", "20", "--json", "--test", at("test.tsv")})));
  const Quality seen = evaluate(out, at("test.tsv"));
  EXPECT_NEAR(told["test_accuracy"].get<double>(), seen.accuracy, 1e-5);
  EXPECT_NEAR(told["test_skim_rate"].get<double>(), seen.skim_rate, 1e-5);
}

TEST_F(TrainVerb, KeepsTheModelWhenTheTestFails) {
  const std::string out = at("untested.skim");
  const Given options = quick(out, {"--max-steps", "20", "--json", "--test"});
  const auto train_with_test = [&](const std::string& test) {
    Given given = options;
    given.push_back(test);
    return train(given);
  };
  EXPECT_EQ(train_with_test(at("none.tsv")).code, kUsageError);
  write(at("unknown-label.tsv"), "neither\tsome text\n");
  const Outcome late = train_with_test(at("unknown-label.tsv"));
  EXPECT_EQ(late.code, kFailure);
  const Result<Json> printed = parse_json(late.out, "the result");
  ASSERT_TRUE(printed.has_value()) << late.out;
  EXPECT_EQ((*printed)["steps"], 20) << "the result of training is printed all the same";
  EXPECT_TRUE(std::filesystem::exists(out));
  std::filesystem::remove(out);
  write(at("unlabelled.tsv"), "no tab here\n");
  const Outcome early = train_with_test(at("unlabelled.tsv"));
  EXPECT_EQ(early.code, kFailure);
  EXPECT_EQ(early.out, "");
  EXPECT_FALSE(std::filesystem::exists(out)) << "rejected before training";
}

// It trained from scratch and replaced the model.
TEST_F(TrainVerb, ResumingAFinishedTrainingLeavesTheModelAlone) {
  const std::string out = at("finished.skim");
  ASSERT_EQ(train(quick(out)).code, kSuccess);
  const std::string model = read(out);
  const auto written = std::filesystem::last_write_time(out);
  const Outcome again = train(quick(out, {"--resume"}));
  EXPECT_EQ(again.code, kSuccess) << again.err;
  EXPECT_THAT(again.out, HasSubstr("finished.skim: this training has finished before"));
  const Json told = result(train(quick(out, {"--resume", "--json", "--test", at("test.tsv")})));
  EXPECT_EQ(told["finished_before"], true);
  EXPECT_NEAR(told["test_accuracy"].get<double>(), evaluate(out, at("test.tsv")).accuracy, 1e-5);
  EXPECT_EQ(read(out), model);
  EXPECT_EQ(std::filesystem::last_write_time(out), written);
  EXPECT_FALSE(std::filesystem::exists(out + ".checkpoint"));
}

TEST_F(TrainVerb, ResumingAFinishedTrainingForMoreStepsDoesNotReplaceTheModel) {
  const std::string out = at("kept.skim");
  ASSERT_EQ(train(quick(out)).code, kSuccess);
  const std::string model = read(out);
  const Outcome longer = train(quick(out, {"--resume", "--max-steps", "60"}));
  EXPECT_EQ(longer.code, kFailure);
  EXPECT_THAT(longer.err, HasSubstr("kept.skim: this training has finished"));
  EXPECT_THAT(longer.err, HasSubstr("without --resume"));
  EXPECT_EQ(read(out), model);
  EXPECT_EQ(train(quick(out, {"--max-steps", "60"})).code, kSuccess);
  EXPECT_NE(read(out), model) << "without --resume it is replaced";
}

// A training that was killed before its first checkpoint must be able to go on, whatever it is to
// replace.
TEST_F(TrainVerb, ResumingWithoutACheckpointReplacesAnotherModelAndSaysSo) {
  const std::string out = at("other.skim");
  for (const std::string& before : {read(reference()), std::string("no model")}) {
    write(out, before);
    const Outcome done = train(quick(out, {"--resume", "--seed", "3"}));
    EXPECT_EQ(done.code, kSuccess) << done.err;
    EXPECT_THAT(done.err, HasSubstr("training starts from scratch and replaces " + out));
    EXPECT_NE(read(out), before);
  }
}

TEST_F(TrainVerb, StartFromInitializesASkimmingModelWithADenseOne) {
  const std::string dense = at("dense.skim"), started = at("started.skim");
  EXPECT_EQ(train(quick(dense, {"--reader", "dense"})).code, kSuccess);
  const Outcome done = train(quick(started, {"--start-from", dense, "--max-steps", "1",
                                             "--eval-steps", "1", "--learning-rate", "1e-9"}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.err, HasSubstr("initialized"));
  Policy read_all;
  read_all.threshold = 0;
  EXPECT_EQ(evaluate(started, at("dev.tsv"), read_all).accuracy,
            evaluate(dense, at("dev.tsv")).accuracy);
  const Outcome frozen =
      train(quick(at("misfit.skim"), {"--start-from", dense, "--estimator", "none"}));
  EXPECT_EQ(frozen.code, kFailure);
  EXPECT_THAT(frozen.err, HasSubstr("has no decisions to freeze"));
  const Outcome again =
      train(quick(at("again.skim"), {"--start-from", started, "--max-steps", "1"}));
  EXPECT_EQ(again.code, kSuccess);
  EXPECT_THAT(again.err, HasSubstr("embeddings from"));
}

TEST_F(TrainVerb, StartFromRejectsAModelThatDoesNotFit) {
  const auto expect_refused = [](const Given& options, const std::string& message) {
    const Outcome done = train(quick(at("misfit.skim"), options));
    EXPECT_EQ(done.code, kFailure);
    EXPECT_THAT(done.err, HasSubstr(message));
  };
  expect_refused({"--start-from", reference(), "--cell", "gru"}, "its cell is lstm, expected gru");
  expect_refused({"--start-from", reference(), "--embedding-size", "8"},
                 "its embedding size is 16, expected 8");
  expect_refused({"--start-from", at("none.skim")}, "none.skim");
}

TEST_F(TrainVerb, EstimatorNoneFreezesDecisionsAndTrainsCells) {
  const std::string settled = at("settled.skim");
  const Outcome done = train(
      quick(settled, {"--start-from", reference(), "--estimator", "none", "--max-steps", "20"}));
  ASSERT_EQ(done.code, kSuccess) << done.err;
  const Result<ModelFile> file = open_model_file(settled);
  ASSERT_TRUE(file.has_value());
  int frozen = 0, trained = 0;
  for (const TensorView& each : file->tensors) {
    const std::vector<float> before = tensor(reference(), each.name);
    const std::vector<float> after = tensor(settled, each.name);
    if (each.name.find(".decision.") != std::string::npos) {
      EXPECT_EQ(before, after) << each.name;
      ++frozen;
    } else if (each.name.ends_with(".weight_hh")) {
      EXPECT_NE(before, after) << each.name;
      ++trained;
    }
  }
  EXPECT_GT(frozen, 0);
  EXPECT_EQ(trained, 2) << "the big and the small cell";
}

}  // namespace
}  // namespace skim::cli

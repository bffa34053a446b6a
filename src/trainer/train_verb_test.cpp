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

TEST_F(TrainVerb, FitsTheTemperatureOnDevUnlessToldNotTo) {
  const std::string warm = at("warm.skim"), cold = at("cold.skim");
  const Json told = result(train(quick(warm, {"--json"})));
  ASSERT_EQ(train(quick(cold, {"--no-temperature"})).code, kSuccess);
  const Result<ModelFile> with = open_model_file(warm), without = open_model_file(cold);
  ASSERT_TRUE(with && without);
  EXPECT_NE(with->calibration.temperature, 1);
  EXPECT_EQ(with->calibration.temperature, told["temperature"]);
  EXPECT_EQ(without->calibration.temperature, 1);
  EXPECT_EQ(with->calibration.points, without->calibration.points);
  for (std::size_t i = 0; i < with->probes.size(); ++i) {
    EXPECT_EQ(with->probes[i].index, without->probes[i].index);
    EXPECT_NE(with->probes[i].scores, without->probes[i].scores);
  }
  const Outcome compared = compare({warm, at("dev.tsv"), "--json"});
  EXPECT_EQ(compared.code, kSuccess) << compared.err;
  EXPECT_LT((*parse_json(compared.out, "out"))["max_score_error"].get<double>(), 1e-4);
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

TokenizerKind tokenizer_in(const std::string& model) {
  const Result<Model> loaded = Model::load(model);
  EXPECT_TRUE(loaded.has_value()) << model;
  return loaded ? loaded->tokenizer().kind() : TokenizerKind::whitespace;
}

class TrainVerbTokenizer : public TrainVerb {
 protected:
  // Options of a training of some steps on generated German texts.
  static Given german(const std::string& out, const Given& more = {}) {
    std::string lines;
    for (int i = 0; i < 40; ++i)
      lines += i % 2 == 0 ? "gut\tDie STRASSE ist größer, schön 👍🏽\n"
                          : "schlecht\tDie Straße nervt 👎\n";
    write(at("german.tsv"), lines);
    return quick(out, [&] {
      Given all = {"--train", at("german.tsv"), "--dev", at("german.tsv")};
      all.insert(all.end(), more.begin(), more.end());
      return all;
    }());
  }
};

TEST_F(TrainVerbTokenizer, AutoChoosesByTheTextsAndTheModelKeepsIt) {
  const std::string english = at("english.skim"), german_model = at("german.skim");
  const Outcome first = train(quick(english, {"--max-steps", "20"}));
  EXPECT_THAT(first.err, HasSubstr("tokenizer english: "));
  EXPECT_EQ(tokenizer_in(english), TokenizerKind::english);
  const Outcome second = train(german(german_model));
  EXPECT_EQ(second.code, kSuccess) << second.err;
  EXPECT_THAT(second.err, HasSubstr("% of the letters are not ASCII"));
  EXPECT_EQ(tokenizer_in(german_model), TokenizerKind::unicode);
  const Result<ModelFile> file = open_model_file(german_model);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(std::count(file->vocabulary.begin(), file->vocabulary.end(), "strasse"), 1);
  EXPECT_EQ(std::count(file->vocabulary.begin(), file->vocabulary.end(), "👍🏽"), 1);
}

TEST_F(TrainVerbTokenizer, OptionOverridesAuto) {
  const Outcome done = train(german(at("chosen.skim"), {"--tokenizer", "whitespace"}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_EQ(tokenizer_in(at("chosen.skim")), TokenizerKind::whitespace);
  EXPECT_THAT(done.err, testing::Not(HasSubstr("tokenizer")));
  EXPECT_THAT(train(german(at("bad.skim"), {"--tokenizer", "german"})).err,
              HasSubstr("--tokenizer"));
}

TEST_F(TrainVerbTokenizer, AutoTakesThatOfTheStartModel) {
  const Outcome done = train(german(at("from.skim"), {"--start-from", reference()}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.err, HasSubstr("tokenizer english: that of " + reference()));
  EXPECT_EQ(tokenizer_in(at("from.skim")), TokenizerKind::english);
}

TEST_F(TrainVerbTokenizer, ResumesUnderAuto) {
  const std::string out = at("resumed.skim"), whole = at("whole.skim");
  ASSERT_EQ(train(german(whole)).code, kSuccess);
  train_and_stop(german(out), at("resumed.log"));
  const Outcome done = train(german(out, {"--resume"}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  EXPECT_EQ(tokenizer_in(out), TokenizerKind::unicode);
  EXPECT_EQ(read(out), read(whole));
  EXPECT_THAT(train(german(out, {"--resume", "--tokenizer", "unicode"})).out,
              HasSubstr("finished before"));
}

TEST_F(TrainVerbTokenizer, EmbeddingsOfCasedFilesAreFound) {
  std::string lines;
  for (const char* word : {"Straße", "STRASSE", "größer"}) {
    lines += word;
    for (int i = 0; i < 16; ++i) lines += word[0] == 'g' ? " 0.25" : word[1] == 't' ? " 0.5" : " 1";
    lines += "\n";
  }
  write(at("cased.txt"), lines);
  const Outcome done =
      train(german(at("cased.skim"), {"--embeddings", at("cased.txt"), "--freeze-embeddings"}));
  EXPECT_EQ(done.code, kSuccess) << done.err;
  const std::vector<float> values = tensor(at("cased.skim"), "embedding.weight");
  EXPECT_EQ(std::count(values.begin(), values.end(), 0.5F), 16);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0.25F), 16);
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
  EXPECT_EQ(train_with_test(at("no-such-test.tsv")).code, kUsageError);
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

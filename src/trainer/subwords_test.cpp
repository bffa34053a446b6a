// skim train with subwords, from the command line to the model file.
#include <gmock/gmock.h>

#include "cli/verbs.h"
#include "skim/session.h"
#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;

class TrainSubwords : public Trainings {
 protected:
  static Given options(const Given& more = {}) {
    Given all = {"--buckets", "150", "--subwords", "2,4"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(TrainSubwords, UnknownWordsOfTheModelDiffer) {
  const std::string out = at("subwords.skim");
  ASSERT_EQ(train(quick(out, options())).code, kSuccess);
  const Result<Model> model = Model::load(out);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->spec().subwords, (SubwordSpec{2, 4, 150}));
  Session session(*model);
  const auto scores = [&](const char* text) {
    return session.read(Query{text, {}, {}}).value().scores;
  };
  EXPECT_NE(scores("xylophonic"), scores("quixotry"));
  EXPECT_EQ(scores("quixotry"), scores("QUIXOTRY"));
}

TEST_F(TrainSubwords, TrainerAndRuntimeAgreeOnTextsWithUnknownWords) {
  const std::string out = at("compared.skim");
  ASSERT_EQ(train(quick(out, options())).code, kSuccess);
  write(at("unknown.tsv"), "positive\tan unseeen wrod amid goood ones\nnegative\tzzz terible\n");
  const Outcome done = compare({out, at("unknown.tsv"), "--json"});
  EXPECT_EQ(done.code, kSuccess) << done.err;
}

TEST_F(TrainSubwords, AModelWithSubwordsIsAStart) {
  const std::string first = at("first-subwords.skim"), second = at("second-subwords.skim");
  ASSERT_EQ(train(quick(first, options())).code, kSuccess);
  const Outcome done =
      train(quick(second, options({"--start-from", first, "--max-steps", "1", "--eval-steps", "1",
                                   "--learning-rate", "1e-9"})));
  ASSERT_EQ(done.code, kSuccess) << done.err;
  Session before(Model::load(first).value()), after(Model::load(second).value());
  const Query query{"an unseeen wrod amid good ones", {}, {}};
  const std::vector<float> expected = before.read(query).value().scores;
  const std::vector<float> got = after.read(query).value().scores;
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-4);
}

// Runs another verb and returns what it prints.
std::string printed_by(int (*verb)(Arguments), const std::vector<const char*>& arguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(verb(arguments), kSuccess);
  return testing::internal::GetCapturedStdout();
}

TEST_F(TrainSubwords, OtherVerbsKnowThem) {
  const std::string out = at("described.skim"), small = at("small.skim"), onnx = at("m.onnx");
  ASSERT_EQ(train(quick(out, options())).code, kSuccess);
  EXPECT_THAT(printed_by(info_verb, {out.c_str()}),
              HasSubstr("subwords      2 to 4 characters, 150 buckets, 9600 bytes"));
  printed_by(quantize_verb, {out.c_str(), "--weights", "int8", "--vocab-size", "50", "--out",
                             small.c_str(), "--quiet"});
  EXPECT_THAT(printed_by(info_verb, {small.c_str()}), HasSubstr("150 buckets, 3000 bytes"));
  Session session(Model::load(small).value());
  EXPECT_NE(session.read(Query{"xylophonic", {}, {}}).value().scores,
            session.read(Query{"quixotry", {}, {}}).value().scores);
  EXPECT_THAT(printed_by(export_verb, {out.c_str(), "--onnx", onnx.c_str()}),
              HasSubstr("Subwords are not exported"));
}

TEST_F(TrainSubwords, InvalidLengthsAreWrongUsage) {
  for (const char* lengths : {"3", "0,3", "4,3", "3,17", "1,2,3"}) {
    const Outcome done = train(quick(at("never.skim"), {"--subwords", lengths}));
    EXPECT_EQ(done.code, kUsageError) << lengths;
    EXPECT_THAT(done.err, HasSubstr("--subwords needs two numbers from 1 to 16"));
  }
  EXPECT_EQ(train(quick(at("never.skim"), {"--buckets", "-1"})).code, kUsageError);
}

}  // namespace
}  // namespace skim::cli

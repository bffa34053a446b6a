// Where skim train takes its initial embeddings from: --embeddings none, default, auto or a file.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "cli/model_choice.h"
#include "file/model_file.h"
#include "tests/train/trainings.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ModelFile open(const std::string& path) {
  Result<ModelFile> file = open_model_file(path);
  EXPECT_TRUE(file.has_value()) << path;
  return file ? std::move(*file) : ModelFile();
}

class Pretrained : public Trainings {
 protected:
  static std::string out() { return at("pretrained.skim"); }
  static Outcome train_quickly(const Given& more) {
    Given options = {"--max-steps", "10", "--eval-steps", "10"};
    options.insert(options.end(), more.begin(), more.end());
    return train(quick(out(), options));
  }
  // Expects that the words of the trained model, whose embeddings were frozen, have those of
  // `source`.
  static void expect_embeddings_of(const std::string& source) {
    const ModelFile from = open(source), trained = open(out());
    const std::vector<float> expected = to_floats(from, "embedding.weight");
    const std::vector<float> values = to_floats(trained, "embedding.weight");
    const auto size = static_cast<std::ptrdiff_t>(from.spec.embedding_size);
    ASSERT_EQ(trained.spec.embedding_size, from.spec.embedding_size);
    for (std::size_t i = 1; i < trained.vocabulary.size(); ++i) {
      const auto word = std::ranges::find(from.vocabulary, trained.vocabulary[i]);
      ASSERT_NE(word, from.vocabulary.end()) << trained.vocabulary[i];
      const auto row = values.begin() + static_cast<std::ptrdiff_t>(i) * size;
      EXPECT_TRUE(
          std::equal(row, row + size, expected.begin() + (word - from.vocabulary.begin()) * size));
    }
  }
};

TEST_F(Pretrained, EmbeddingsComeFromAModelWhateverItIsCalled) {
  const std::string renamed = at("vectors.txt");
  write(renamed, read(reference()));
  const Outcome done = train_quickly({"--embeddings", renamed, "--freeze-embeddings"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.out, HasSubstr("embeddings: " + renamed + " has "));
  EXPECT_THAT(done.out, HasSubstr("99.8 % of their tokens"));
  expect_embeddings_of(renamed);
}

TEST_F(Pretrained, EmbeddingsOfAQuantizedModelAreDequantized) {
  ModelDraft draft = to_draft(open(reference()));
  draft.spec.weight_type = WeightType::int8;
  const std::string quantized = at("vectors-int8.skim");
  ASSERT_TRUE(write_model_file(draft, quantized).has_value());
  const Outcome done = train_quickly({"--embeddings", quantized, "--freeze-embeddings"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  expect_embeddings_of(quantized);
}

TEST_F(Pretrained, TheEmbeddingSizeIsThatOfTheSource) {
  const Outcome done = train_quickly({"--embeddings", reference(), "--embedding-size", "24"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_EQ(open(out()).spec.embedding_size, 16);
}

TEST_F(Pretrained, ADamagedModelIsNamed) {
  const std::string cut = at("cut.skim");
  write(cut, read(reference()).substr(0, 2000));
  const Outcome done = train_quickly({"--embeddings", cut});
  EXPECT_EQ(done.code, kFailure);
  EXPECT_THAT(done.err, HasSubstr("cut.skim"));
  EXPECT_EQ(train_quickly({"--embeddings", at("no-such-file")}).code, kFailure);
}

TEST_F(Pretrained, TheModelRecordsTheChecksumOfTheSource) {
  ASSERT_EQ(train_quickly({"--embeddings", reference()}).code, kSuccess);
  const Result<Json> config = parse_json(open(out()).about, "about");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ((*config)["embeddings"], open(reference()).data_checksum);
  ASSERT_EQ(train_quickly({}).code, kSuccess);
  EXPECT_FALSE(parse_json(open(out()).about, "about")->contains("embeddings"));
}

TEST_F(Pretrained, ResumingNeedsTheSameSource) {
  const std::string other = at("other-vectors.skim"), stopped = at("stopped-vectors.skim");
  ASSERT_EQ(train(quick(other, {"--seed", "5"})).code, kSuccess);
  const Given options = {"--max-steps", "100000", "--embeddings"};
  const auto with = [&](const std::string& file) {
    Given given = options;
    given.push_back(file);
    return quick(stopped, given);
  };
  ASSERT_EQ(train_and_stop(with(other), at("stopped-vectors.jsonl")).code, kFailure);
  Given resumed = with(reference());
  resumed.emplace_back("--resume");
  const Outcome done = train(resumed);
  EXPECT_EQ(done.code, kFailure);
  EXPECT_THAT(done.err, HasSubstr("made with other options or other data"));
}

TEST_F(Pretrained, TheResultTellsTheCoverage) {
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "a\tgood fun indeed\nb\tbad fun\n";
  write(at("coverage.tsv"), lines);
  write(at("coverage.txt"), "good 1 0\nbad 0 1\nunused 1 1\n");
  const Outcome done = train_quickly({"--train", at("coverage.tsv"), "--dev", at("coverage.tsv"),
                                      "--embeddings", at("coverage.txt"), "--json"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  const Json told = parse_json(done.out, "the result").value_or(Json())["embeddings"];
  EXPECT_EQ(told["source"], at("coverage.txt"));
  EXPECT_EQ(told["words"], 2);
  EXPECT_EQ(told["training_words"], 4);
  EXPECT_NEAR(told["token_coverage"].get<double>(), 8 / 20.0, 1e-9);
}

// The embeddings of the built-in model, which stands beside the program.
class BuiltIn : public Pretrained {
 protected:
  void SetUp() override {
    if (!built_in_model_path("default")) GTEST_SKIP() << "no built-in model beside the test";
  }
};

TEST_F(BuiltIn, EnglishTextStartsFromItsEmbeddingsByDefault) {
  const Outcome done = train_quickly({"--embeddings", "auto", "--embedding-size", "100"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.out, HasSubstr("default.skim has "));
  EXPECT_GT(open(out()).spec.vocab_size, 10'000) << "its words are known at inference time";
}

TEST_F(BuiltIn, OtherTextStartsFromRandomEmbeddingsAndSaysSo) {
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "a\tschönes Wetter hierzulande\nb\tscheußliches Wetter\n";
  write(at("german.tsv"), lines);
  const Given german = {"--train", at("german.tsv"), "--dev", at("german.tsv")};
  const auto with = [&](Given more) {
    more.insert(more.end(), german.begin(), german.end());
    return train_quickly(more);
  };
  const Outcome done = with({"--embeddings", "auto", "--embedding-size", "100"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.err, HasSubstr("are for the tokenizer english"));
  EXPECT_THAT(done.out, HasSubstr("embeddings: random"));
  const Outcome english =
      with({"--embeddings", "auto", "--embedding-size", "100", "--tokenizer", "english"});
  EXPECT_THAT(english.err, HasSubstr("do not seem to be English"));
  EXPECT_THAT(english.out, HasSubstr("embeddings: random"));
  const Outcome forced = with({"--embeddings", "default"});
  EXPECT_THAT(forced.out, HasSubstr("default.skim has "));
}

TEST_F(BuiltIn, AnotherEmbeddingSizeMeansRandomEmbeddings) {
  const Outcome done = train_quickly({"--embeddings", "auto"});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.err, HasSubstr("has an embedding size of 100, not 16"));
  EXPECT_THAT(done.out, HasSubstr("embeddings: random"));
}

TEST_F(BuiltIn, TheEmbeddingsOfStartFromWin) {
  const Outcome done = train_quickly({"--embeddings", "auto", "--start-from", reference()});
  ASSERT_EQ(done.code, kSuccess) << done.err;
  EXPECT_THAT(done.out, HasSubstr("embeddings: " + reference() + " has "));
}

}  // namespace
}  // namespace skim::cli

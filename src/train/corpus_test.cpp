#include "train/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::train {
namespace {

using testing::ElementsAre;

Dataset labelled_texts(const std::vector<std::string>& list) {
  Dataset data{"data", {}};
  for (const std::string& text : list) {
    data.examples.push_back({{text, "", {}}, "good", data.examples.size() + 1});
  }
  return data;
}

ModelSpec make_spec(NetKind net) {
  ModelSpec spec;
  spec.net = net;
  spec.tokenizer = TokenizerKind::whitespace;
  if (net == NetKind::classifier) spec.labels = {"bad", "good"};
  return spec;
}

// Words by their places: "a" is 1, "b" is 2, ...
Vocabulary four_word_vocabulary() {
  Vocabulary vocabulary;
  vocabulary.words = {"<unknown>", "a", "b", "c", "d"};
  return vocabulary;
}

Items encode(const Dataset& data, NetKind net, std::size_t max_words = 100) {
  const Result<Items> items = encode_items(data, four_word_vocabulary(), make_spec(net), max_words);
  EXPECT_TRUE(items.has_value()) << items.error().message;
  return items.value_or(Items());
}

TEST(Vocabulary, HasTheMostFrequentWordsFirst) {
  const Dataset data = labelled_texts({"c b a", "B b", "a c"});
  VocabularyOptions options;
  options.embedding_size = 3;
  const Vocabulary made =
      make_vocabulary(count_words(data, TokenizerKind::english), nullptr, options);
  EXPECT_THAT(made.words, ElementsAre("<unknown>", "b", "a", "c"));
  EXPECT_EQ(made.embeddings.size(), 4U * 3U);
  EXPECT_THAT(made.pretrained, ElementsAre(0, 0, 0, 0));
  for (const float value : made.embeddings) EXPECT_LT(std::abs(value), 0.1F);
}

TEST(Vocabulary, RareWordsNeedAPretrainedEmbedding) {
  const Dataset data = labelled_texts({"a a b c"});
  const PretrainedEmbeddings vectors{{"c", "Upper", "later"}, 2, {1, 2, 3, 4, 5, 6}};
  const Vocabulary made = make_vocabulary(count_words(data, TokenizerKind::english), &vectors, {});
  // Entries of the file follow, but for those that no text can match.
  EXPECT_THAT(made.words, ElementsAre("<unknown>", "a", "c", "later"));
  EXPECT_THAT(made.pretrained, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(made.embedding_size, 2);
  EXPECT_THAT(std::vector<float>(made.embeddings.end() - 4, made.embeddings.end()),
              ElementsAre(1, 2, 5, 6));
}

TEST(Vocabulary, IsLimitedAndTellsWhichWordsAreTrainable) {
  const Dataset data = labelled_texts({"a a a b b c"});
  const PretrainedEmbeddings vectors{{"a", "b", "c", "d"}, 1, {1, 2, 3, 4}};
  VocabularyOptions options;
  options.trainable_min_count = 2;
  EXPECT_EQ(
      make_vocabulary(count_words(data, TokenizerKind::english), &vectors, options).num_trainable,
      3U);
  options.max_size = 3;
  EXPECT_THAT(make_vocabulary(count_words(data, TokenizerKind::english), &vectors, options).words,
              ElementsAre("<unknown>", "a", "b"));
}

TEST(Vocabulary, RandomEmbeddingsDependOnTheSeed) {
  const Dataset data = labelled_texts({"a a b b"});
  const auto vectors = [&](std::uint64_t seed) {
    VocabularyOptions options;
    options.seed = seed;
    return make_vocabulary(count_words(data, TokenizerKind::english), nullptr, options).embeddings;
  };
  EXPECT_EQ(vectors(1), vectors(1));
  EXPECT_NE(vectors(1), vectors(2));
}

TEST(Items, OfAClassifierKeepTheBeginningOfATextAndItsLabel) {
  const Items made = encode(labelled_texts({"a B zebra c d", ""}), NetKind::classifier, 4);
  ASSERT_EQ(made.items.size(), 2U);
  EXPECT_THAT(made.items[0].words, ElementsAre(1, 2, 0, 3));
  EXPECT_EQ(made.items[0].label, 1);
  EXPECT_THAT(made.items[1].words, ElementsAre(0)) << "an empty text is one unknown word";
  EXPECT_EQ(made.items[1].example, 1U);
}

TEST(Items, OfAClozeModelKeepTheEndOfATextAndTheQuestion) {
  Dataset data{"data", {}};
  data.examples.push_back({{"a b c", "d a", {"b", "c d"}}, "c d", 1});
  const Item item = encode(data, NetKind::cloze, 4).items.at(0);
  EXPECT_THAT(item.words, ElementsAre(2, 3, 4, 1));
  EXPECT_EQ(item.question_length, 2);
  EXPECT_THAT(item.choices, ElementsAre(ElementsAre(2), ElementsAre(3, 4)));
  EXPECT_EQ(item.label, 1);
}

Dataset question_about(const std::string& text, const std::vector<GoldAnswer>& answers) {
  Dataset data{"data", {}};
  data.examples.push_back({{text, "d", {}}, answers.front().text, 1, "", answers});
  return data;
}

TEST(Items, OfASpanModelTellTheTokensOfEachAnswer) {
  const Item item =
      encode(question_about("a b c d", {{"b c", 2}, {"d", 6}}), NetKind::span).items.at(0);
  EXPECT_THAT(item.words, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(item.question, ElementsAre(4));
  ASSERT_EQ(item.answers.size(), 2U);
  EXPECT_EQ(item.answers[0].first, 1);
  EXPECT_EQ(item.answers[0].last, 2);
  EXPECT_EQ(item.answers[1].first, 3);
  EXPECT_EQ(item.label, 1) << "the first word of the first answer";
}

TEST(Items, WithoutAnAnswerInTheWordsThatAreReadAreLeftOut) {
  const Dataset data = question_about("a b c d", {{"c d", 4}});
  EXPECT_EQ(encode(data, NetKind::span, 3).num_without_answer, 1U);
  EXPECT_TRUE(encode(data, NetKind::span, 3).items.empty());
  EXPECT_EQ(encode(data, NetKind::span, 4).items.size(), 1U);
}

TEST(Items, OfABidafModelShareTheirSpellings) {
  const Item item = encode(question_about("a zebra A", {{"a", 0}}), NetKind::bidaf).items.at(0);
  ASSERT_NE(item.spellings, nullptr);
  EXPECT_THAT(item.text_spellings, ElementsAre(0, 1, 0));
  EXPECT_THAT(item.question_spellings, ElementsAre(2));
  EXPECT_THAT(item.spellings->chars, ElementsAre("a", "zebra", "d"));
  EXPECT_THAT(item.spellings->ids, ElementsAre(1, 0, 4));
}

TEST(Items, OfAnotherTaskAreAnError) {
  const Dataset spans = question_about("a b", {{"a", 0}});
  EXPECT_FALSE(check_task(spans, NetKind::classifier).has_value());
  EXPECT_TRUE(check_task(spans, NetKind::bidaf).has_value());
  EXPECT_FALSE(check_task(labelled_texts({"a"}), NetKind::span).has_value());
  const Result<Items> made =
      encode_items(spans, four_word_vocabulary(), make_spec(NetKind::classifier), 10);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, testing::HasSubstr("data, line 1"));
}

TEST(SplitDev, TakesAboutTheShareAndLosesNothing) {
  std::vector<std::string> list;
  for (int i = 0; i < 1000; ++i) list.push_back("text " + std::to_string(i));
  Dataset rest = labelled_texts(list);
  const Dataset part = split_dev(rest, 0.2, 1);
  EXPECT_EQ(part.examples.size() + rest.examples.size(), 1000U);
  // Four standard deviations around 200.
  EXPECT_NEAR(static_cast<double>(part.examples.size()), 200, 51);
}

TEST(SplitDev, KeepsQuestionsAboutOneTextTogether) {
  Dataset rest{"data", {}};
  for (int i = 0; i < 200; ++i) {
    Example example;
    example.query.text = "text " + std::to_string(i % 20);
    example.query.question = "question " + std::to_string(i);
    rest.examples.push_back(example);
  }
  const Dataset part = split_dev(rest, 0.5, 3);
  ASSERT_FALSE(part.examples.empty());
  ASSERT_FALSE(rest.examples.empty());
  for (const Example& out : part.examples) {
    for (const Example& in : rest.examples) EXPECT_NE(out.query.text, in.query.text);
  }
}

}  // namespace
}  // namespace skim::train

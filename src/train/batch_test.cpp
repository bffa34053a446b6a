#include "train/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace skim::train {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> long_values(const torch::Tensor& tensor) {
  const torch::Tensor dense = tensor.contiguous();
  return {dense.data_ptr<std::int64_t>(), dense.data_ptr<std::int64_t>() + dense.numel()};
}

std::vector<float> float_values(const torch::Tensor& tensor) {
  const torch::Tensor dense = tensor.contiguous();
  return {dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel()};
}

Item make_item(std::vector<std::int32_t> words, std::int64_t label = 0) {
  Item item;
  item.words = std::move(words);
  item.label = label;
  return item;
}

// The word ids of list `list` of a padded table.
std::vector<std::int32_t> words_of_list(const Padded& padded, std::int64_t list,
                                        const Batch& batch) {
  std::vector<std::int32_t> words;
  for (std::int64_t i = 0; i < padded.index.size(1); ++i) {
    if (!padded.mask[list][i].item<bool>()) continue;
    words.push_back(
        batch.words[static_cast<std::size_t>(padded.index[list][i].item<std::int64_t>())]);
  }
  return words;
}

TEST(Batch, PacksTextsStepByStepLongestFirst) {
  const std::vector<Item> items = {make_item({1, 2}, 7), make_item({3, 4, 5}, 8),
                                   make_item({6}, 9)};
  const Batch batch = make_batch(items, {0, 1, 2});
  EXPECT_THAT(batch.items, ElementsAre(1, 0, 2));
  EXPECT_THAT(batch.lengths, ElementsAre(3, 2, 1));
  EXPECT_THAT(batch.steps.sizes, ElementsAre(3, 2, 1));
  EXPECT_THAT(batch.words, ElementsAre(3, 1, 6, 4, 2, 5));
  EXPECT_THAT(long_values(batch.labels), ElementsAre(8, 7, 9));
  EXPECT_THAT(long_values(batch.last_rows), ElementsAre(5, 4, 2));
  EXPECT_THAT(long_values(row_texts(batch)), ElementsAre(0, 1, 2, 0, 1, 0));
}

TEST(Batch, ReversedRowsMirrorEachText) {
  const std::vector<Item> items = {make_item({1, 2, 3}), make_item({4, 5})};
  const Batch batch = make_batch(items, {1, 0});
  const std::vector<std::int64_t> mirror = long_values(batch.reversed);
  std::vector<std::int32_t> reversed;
  for (const std::int64_t row : mirror)
    reversed.push_back(batch.words[static_cast<std::size_t>(row)]);
  EXPECT_THAT(batch.words, ElementsAre(1, 4, 2, 5, 3));
  EXPECT_THAT(reversed, ElementsAre(3, 5, 2, 4, 1));
}

TEST(Batch, TextsOfEqualLengthKeepTheirOrder) {
  const std::vector<Item> items = {make_item({1}), make_item({2}), make_item({3})};
  EXPECT_THAT(make_batch(items, {2, 0, 1}).items, ElementsAre(2, 0, 1));
}

TEST(Batch, WordsOfQuestionsFollowThoseOfTexts) {
  std::vector<Item> items = {make_item({1, 2}), make_item({3})};
  items[0].question = {4};
  items[1].question = {5, 6};
  items[0].answers = {{0, 1}};
  items[1].answers = {{0, 0}};
  const Batch batch = make_batch(items, {0, 1});
  EXPECT_THAT(batch.words, ElementsAre(1, 3, 2, 4, 5, 6));
  EXPECT_THAT(words_of_list(batch.question, 0, batch), ElementsAre(4));
  EXPECT_THAT(words_of_list(batch.question, 1, batch), ElementsAre(5, 6));
  EXPECT_THAT(long_values(batch.answer_ends), ElementsAre(1, 0));
}

TEST(Batch, MissingChoicesAreMasked) {
  std::vector<Item> items = {make_item({1, 2}), make_item({3})};
  items[0].choices = {{4}};
  items[1].choices = {{5, 6}, {7}};
  const Batch batch = make_batch(items, {0, 1});
  EXPECT_THAT(words_of_list(batch.choices, 0, batch), ElementsAre(4));
  EXPECT_TRUE(words_of_list(batch.choices, 1, batch).empty());
  EXPECT_THAT(words_of_list(batch.choices, 2, batch), ElementsAre(5, 6));
  EXPECT_THAT(words_of_list(batch.choices, 3, batch), ElementsAre(7));
  EXPECT_TRUE(torch::equal(batch.choice_padding, torch::tensor({{false, true}, {false, false}})));
}

TEST(Batch, LookupOfPaddedListsGivesRowsOfTheTable) {
  std::vector<Item> items = {make_item({1}), make_item({2})};
  items[0].question = {3};
  items[1].question = {4};
  const Batch batch = make_batch(items, {0, 1});
  const torch::Tensor rows = torch::tensor({{0.0F}, {1.0F}, {2.0F}, {3.0F}});
  EXPECT_THAT(float_values(batch.question.lookup(rows)), ElementsAre(2, 3));
}

TEST(Batch, HoldsEachSpellingOnce) {
  const auto spellings = std::make_shared<Spellings>();
  spellings->chars = {"a", "bc", "d"};
  spellings->ids = {10, 11, 0};
  std::vector<Item> items = {make_item({11, 10, 11}), make_item({0})};
  items[0].text_spellings = {1, 0, 1};
  items[0].question = {0};
  items[0].question_spellings = {2};
  items[1].text_spellings = {2};
  items[1].question = {10, 11};
  items[1].question_spellings = {0, 1};
  for (Item& item : items) item.spellings = spellings;
  const Batch batch = make_batch(items, {0, 1});
  EXPECT_THAT(batch.words, ElementsAre(10, 11, 0));
  EXPECT_THAT(long_values(batch.spelling_rows), ElementsAre(1, 2, 0, 1));
  EXPECT_THAT(long_values(batch.chars.index), ElementsAre('a', 0, 'b', 'c', 'd', 0));
  // Questions are packed by their own lengths.
  EXPECT_THAT(batch.questions->items, ElementsAre(1, 0));
  EXPECT_THAT(long_values(batch.questions->spelling_rows), ElementsAre(0, 2, 1));
  EXPECT_THAT(long_values(batch.question_index), ElementsAre(1, 0));
}

TEST(Batch, SoftTargetsOfSpansArePaddedToTheLongestText) {
  std::vector<Item> items = {make_item({1}), make_item({2, 3})};
  for (Item& item : items) item.answers = {{0, 0}};
  items[0].soft_targets = {1, 1};
  items[1].soft_targets = {0.25F, 0.75F, 0.5F, 0.5F};
  items[0].labelled = false;
  const Batch batch = make_batch(items, {0, 1});
  EXPECT_EQ(batch.soft_targets.sizes(), (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_THAT(float_values(batch.soft_targets), ElementsAre(0.25F, 0.75F, 0.5F, 0.5F, 1, 0, 1, 0));
  EXPECT_THAT(float_values(batch.labelled), ElementsAre(1, 0));
}

// Texts of 1 to 23 words.
std::vector<Item> many_items(std::size_t count) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back(make_item(std::vector<std::int32_t>(1 + i * 7 % 23, 1)));
  return items;
}

TEST(BatchSampler, VisitsEveryItemOncePerEpoch) {
  const std::vector<Item> items = many_items(101);
  BatchSampler sampler(items, 8, 1);
  ASSERT_EQ(sampler.steps_per_epoch(), 13U);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::multiset<std::size_t> seen;
    for (std::size_t step = 0; step < 13; ++step) {
      const auto& chosen = sampler.at(epoch * 13 + step);
      seen.insert(chosen.begin(), chosen.end());
    }
    EXPECT_EQ(seen.size(), 101U);
    EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), 101U);
  }
}

TEST(BatchSampler, DependsOnSeedAndStepAlone) {
  const std::vector<Item> items = many_items(50);
  BatchSampler forward(items, 4, 1), backward(items, 4, 1), other(items, 4, 2);
  std::vector<std::vector<std::size_t>> epochs;
  for (std::size_t step = 0; step < 26; ++step) epochs.push_back(forward.at(step));
  for (std::size_t step = 26; step-- > 0;) EXPECT_EQ(backward.at(step), epochs[step]) << step;
  EXPECT_NE(epochs[0], epochs[13]) << "the second epoch has another order";
  EXPECT_NE(other.at(0), epochs[0]);
}

TEST(BatchSampler, BatchesHoldTextsOfSimilarLength) {
  const std::vector<Item> items = many_items(230);
  BatchSampler sampler(items, 10, 3);
  for (std::size_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    std::size_t shortest = 23, longest = 1;
    for (const std::size_t item : sampler.at(step)) {
      shortest = std::min(shortest, items[item].words.size());
      longest = std::max(longest, items[item].words.size());
    }
    EXPECT_LE(longest - shortest, 1U) << step;
  }
}

TEST(BatchByLength, FillsBatchesUpToTheLimitOfWords) {
  const std::vector<Item> items = {make_item({1, 1, 1, 1, 1}), make_item({1}), make_item({1, 1, 1}),
                                   make_item({1, 1})};
  EXPECT_THAT(batch_by_length(items, 5),
              ElementsAre(ElementsAre(0), ElementsAre(2, 3), ElementsAre(1)));
  // A text longer than the limit is a batch of its own.
  EXPECT_THAT(batch_by_length(items, 4),
              ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(3, 1)));
  EXPECT_TRUE(batch_by_length({}, 5).empty());
}

}  // namespace
}  // namespace skim::train

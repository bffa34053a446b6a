#include "train/word_embeddings.h"

#include <gmock/gmock.h>

#include "train/initial_subwords.h"
#include "train/torch.h"

namespace skim::train {
namespace {

using testing::Each;
using testing::ElementsAre;
using torch::Tensor;

constexpr std::int64_t kSize = 3;
// The embeddings are in 32 bits, what they are compared with in 64.
constexpr double kTolerance = 2e-6;

Vocabulary make_vocabulary() {
  Vocabulary made;
  made.words = {"<unknown>", "reading", "reads", "of"};
  made.counts = {0, 100, 1};
  made.embedding_size = kSize;
  made.num_trainable = 4;
  made.pretrained.assign(4, 0);
  made.subwords =
      std::make_shared<SubwordIndex>(SubwordSpec{3, 5, 11}, made.words, TokenizerKind::english);
  const CounterRng rng(5);
  for (std::size_t i = 0; i < 4 * kSize; ++i) made.embeddings.push_back(rng.uniform(i));
  for (std::size_t i = 0; i < 11 * kSize; ++i) made.subword_vectors.push_back(rng.at(1).uniform(i));
  return made;
}

Tensor to_double(const std::vector<float>& values) {
  return torch::tensor(values).view({-1, kSize}).to(torch::kDouble).requires_grad_(true);
}

std::vector<std::int64_t> rows_of(const Vocabulary& vocabulary, std::int32_t word) {
  const auto rows = vocabulary.subwords->rows(word);
  return {rows.begin(), rows.end()};
}

// The definition in plain tensor operations. `own` has the row of each word's own vector.
Tensor compose(const Vocabulary& vocabulary, const Tensor& words, const Tensor& subwords,
               const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& own) {
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    rows.push_back(words[own[i]]);
    const std::vector<std::int64_t> ngrams = rows_of(vocabulary, ids[i]);
    if (!ngrams.empty())
      rows.back() = rows.back() + subwords.index_select(0, torch::tensor(ngrams)).mean(0);
  }
  return torch::stack(rows);
}

void expect_near(const Tensor& got, const Tensor& expected) {
  EXPECT_TRUE(torch::allclose(got.to(torch::kDouble), expected, 0, kTolerance)) << got << expected;
}

// The gradients of the used rows as a whole table.
Tensor scatter(const float* gradients, const std::vector<std::int32_t>& rows, std::int64_t all) {
  const Tensor table = torch::zeros({all, kSize});
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(gradients + i * kSize, kSize, table.data_ptr<float>() + rows[i] * kSize);
  return table;
}

TEST(WordEmbeddings, ValuesAndGradientsAreThoseOfPlainOperations) {
  const Vocabulary vocabulary = make_vocabulary();
  const std::int32_t unknown = vocabulary.subwords->add_unknown("readable");
  ASSERT_EQ(unknown, 4);
  const WordEmbeddings embeddings(vocabulary, {});
  const std::vector<std::int32_t> ids = {1, 0, unknown, 2, 1, 3, unknown};
  const std::vector<std::int64_t> own = {1, 0, 0, 2, 1, 3, 0};
  const Tensor words = to_double(vocabulary.embeddings);
  const Tensor subwords = to_double(vocabulary.subword_vectors);
  const Tensor expected = compose(vocabulary, words, subwords, ids, own);
  expect_near(embeddings.embed(ids, {}), expected);

  const Tensor upstream = torch::rand({7, kSize});
  (expected * upstream.to(torch::kDouble)).sum().backward();
  const EmbeddingRows rows = embeddings.find_rows(ids, {});
  EXPECT_THAT(rows.words, ElementsAre(0, 1, 2, 3));
  std::vector<float> gradients = {7};  // of the weights
  embeddings.append_gradients(upstream, ids, {}, rows, gradients);
  ASSERT_EQ(gradients.size(), 1 + (rows.words.size() + rows.subwords.size()) * kSize);
  expect_near(scatter(gradients.data() + 1, rows.words, 4), words.grad());
  expect_near(scatter(gradients.data() + 1 + rows.words.size() * kSize, rows.subwords, 11),
              subwords.grad());
}

TEST(WordEmbeddings, ADroppedWordIsEmbeddedAsIfItWereUnknown) {
  const Vocabulary vocabulary = make_vocabulary();
  const std::int32_t same = vocabulary.subwords->add_unknown("reads");
  const WordEmbeddings embeddings(vocabulary, {});
  // The word of 1 occurrence goes before the word of 100 does.
  int dropped_rare = 0, dropped_frequent = 0;
  for (std::uint64_t step = 0; step < 200; ++step) {
    const SubwordDropout dropout{1, CounterRng(step)};
    const Tensor rows = embeddings.embed({1, 2}, dropout);
    const Tensor as_unknown = embeddings.embed({same}, {});
    dropped_rare += torch::equal(rows[1], as_unknown[0]) ? 1 : 0;
    dropped_frequent += torch::equal(rows[0], embeddings.embed({1}, {})[0]) ? 0 : 1;
  }
  EXPECT_NEAR(dropped_rare, 100, 35);
  EXPECT_LT(dropped_frequent, 12);
}

TEST(WordEmbeddings, FoldedVectorsOfKnownWordsContainTheirNgrams) {
  const Vocabulary vocabulary = make_vocabulary();
  const std::int32_t unknown = vocabulary.subwords->add_unknown("readable");
  Snapshot snapshot;
  snapshot.embeddings = vocabulary.embeddings;
  snapshot.subwords = vocabulary.subword_vectors;
  const Snapshot folded = fold_subwords(snapshot, vocabulary);
  const std::vector<std::int32_t> ids = {0, 1, 2, 3, unknown};
  EXPECT_TRUE(torch::equal(embed(snapshot, vocabulary.subwords.get(), ids, kSize),
                           embed(folded, vocabulary.subwords.get(), ids, kSize)));
  const WordEmbeddings embeddings(vocabulary, {});
  EXPECT_TRUE(torch::equal(embed(folded, vocabulary.subwords.get(), ids, kSize),
                           embeddings.embed(ids, {})));
}

TEST(InitialSubwords, ApproximatePretrainedEmbeddingsAndLeaveTheirSumAlone) {
  Vocabulary vocabulary = make_vocabulary();
  vocabulary.pretrained = {0, 1, 1, 0};
  vocabulary.subwords = std::make_shared<SubwordIndex>(SubwordSpec{3, 6, 997}, vocabulary.words,
                                                       TokenizerKind::english);
  const std::vector<float> pretrained = vocabulary.embeddings;
  init_subwords(vocabulary, {}, 1);
  ASSERT_EQ(vocabulary.subword_vectors.size(), std::size_t{997} * kSize);
  const WordEmbeddings embeddings(vocabulary, {});
  const Tensor expected = torch::tensor(pretrained).view({-1, kSize}).to(torch::kDouble);
  expect_near(embeddings.embed({1, 2}, {}), expected.narrow(0, 1, 2));
  const std::int32_t same = vocabulary.subwords->add_unknown("reads");
  const Tensor composed = embeddings.embed({same}, {});
  EXPECT_LT((composed[0] - expected[2]).abs().max().item<double>(), 0.2);
}

TEST(InitialSubwords, AreZeroWithoutPretrainedEmbeddings) {
  Vocabulary vocabulary = make_vocabulary();
  const std::vector<float> before = vocabulary.embeddings;
  init_subwords(vocabulary, {}, 1);
  EXPECT_THAT(vocabulary.subword_vectors, Each(0));
  EXPECT_EQ(vocabulary.embeddings, before);
}

}  // namespace
}  // namespace skim::train

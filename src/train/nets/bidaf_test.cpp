#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "train/nets/net.h"

namespace skim::train {
namespace {

Vocabulary small_vocabulary() {
  Vocabulary made;
  made.words = {"<unknown>", "the", "cat", "dog", "sleeps", "runs", "who"};
  made.embedding_size = 4;
  made.pretrained.assign(made.words.size(), 0);
  const CounterRng rng(3);
  for (std::size_t i = 0; i < made.words.size() * 4; ++i)
    made.embeddings.push_back(2 * rng.uniform(i) - 1);
  return made;
}

ModelSpec dense_bidaf(const Vocabulary& vocabulary) {
  ModelSpec spec;
  spec.net = NetKind::bidaf;
  spec.vocab_size = static_cast<int>(vocabulary.words.size());
  spec.embedding_size = static_cast<int>(vocabulary.embedding_size);
  spec.char_cnn = {.embedding_size = 3, .num_filters = 5, .kernel_size = 4};
  spec.reader.kind = ReaderKind::dense;
  spec.reader.skim_sizes.clear();
  spec.reader.hidden_size = 5;
  spec.reader.input_size = spec.input_size();
  return spec;
}

// The logits of a training step on one text and the question "who sleeps".
torch::Tensor training_logits(const std::string& text, const Dropout& dropout) {
  const torch::NoGradGuard guard;
  const Vocabulary vocabulary = small_vocabulary();
  const ModelSpec spec = dense_bidaf(vocabulary);
  Example example;
  example.query.text = text;
  example.query.question = "who sleeps";
  example.answers.push_back({"the", 0});
  const Result<Items> encoded = encode_items(Dataset{"test", {example}}, vocabulary, spec, 100);
  const Batch batch = make_batch(encoded.value().items, {0});
  const auto size = vocabulary.embedding_size;
  torch::Tensor rows = torch::empty({static_cast<std::int64_t>(batch.words.size()), size});
  for (std::size_t i = 0; i < batch.words.size(); ++i)
    std::copy_n(vocabulary.embeddings.data() + batch.words[i] * size, size,
                rows.data_ptr<float>() + static_cast<std::int64_t>(i) * size);
  const Weights weights(spec, {});
  ReadMode mode;
  mode.training = true;
  return run_net({spec, weights, rows, batch, dropout, mode}).logits;
}

// --word-dropout had no effect with --task bidaf.
TEST(Bidaf, WordDropoutHidesTheWordsOfTheText) {
  const Dropout none{.words = 0, .input = 0, .output = 0};
  const Dropout all{.words = 0.9999999, .input = 0, .output = 0};
  EXPECT_FALSE(
      torch::equal(training_logits("the cat sleeps", none), training_logits("the dog runs", none)));
  // Not bit by bit: the batches have 4 and 5 spellings, and a product with another number of rows
  // may add up in another order.
  EXPECT_TRUE(torch::allclose(training_logits("the cat sleeps", all),
                              training_logits("the dog runs", all), 1e-5, 1e-8));
}

}  // namespace
}  // namespace skim::train

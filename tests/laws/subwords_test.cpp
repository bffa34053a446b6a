// Laws of subwords: the embeddings of unknown words are composed of their n-grams, whatever else is
// read, and known words have nothing to do with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/word_composer.h"
#include "skim/batch.h"
#include "skim/session.h"
#include "skim/verify.h"
#include "tests/laws/counting_new.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

constexpr SubwordSpec kSmallSubwords = {2, 4, 40};

std::vector<ModelSpec> specs_with_subwords(std::size_t nth) {
  std::vector<ModelSpec> specs = sampled_model_specs(nth);
  for (ModelSpec& spec : specs) spec.subwords = kSmallSubwords;
  return specs;
}

std::vector<float>& mutable_tensor(ModelDraft& draft, std::string_view name) {
  return std::ranges::find(draft.tensors, name, &ModelDraft::Tensor::name)->values;
}

// The definition of docs/file-format.md for a word of ASCII letters, in double precision.
std::vector<float> compose_by_definition(ModelDraft& draft, const std::string& word) {
  const auto size = static_cast<std::size_t>(draft.spec.embedding_size);
  const std::string marked = "<" + word + ">";
  std::vector<double> sum(size);
  std::size_t count = 0;
  for (std::size_t first = 0; first < marked.size(); ++first) {
    for (std::size_t length = 2; length <= 4 && first + length <= marked.size(); ++length) {
      std::uint32_t hash = 2166136261U;
      for (const char letter : marked.substr(first, length))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
      const float* row = mutable_tensor(draft, "subword.weight").data() + hash % 40 * size;
      for (std::size_t i = 0; i < size; ++i) sum[i] += static_cast<double>(row[i]);
      ++count;
    }
  }
  std::vector<float> embedding;
  for (std::size_t i = 0; i < size; ++i)
    embedding.push_back(
        static_cast<float>(static_cast<double>(mutable_tensor(draft, "embedding.weight")[i]) +
                           sum[i] / static_cast<double>(count)));
  return embedding;
}

// A draft whose vocabulary has `word` at the end, with this embedding.
ModelDraft with_word(ModelDraft draft, const std::string& word,
                     const std::vector<float>& embedding) {
  std::vector<float>& embeddings = mutable_tensor(draft, "embedding.weight");
  embeddings.insert(embeddings.end(), embedding.begin(), embedding.end());
  draft.vocabulary.push_back(word);
  ++draft.spec.vocab_size;
  return draft;
}

Reading read_alone(const Model& model, const std::string& text) {
  Session session(model);
  Result<Reading> reading = session.read(Query{text, {}, {}});
  EXPECT_TRUE(reading.has_value());
  return reading.value_or(Reading{});
}

TEST(Subwords, AnUnknownWordIsReadAsOneWithItsComposedEmbedding) {
  for (const ModelSpec& spec : specs_with_subwords(5)) {
    SCOPED_TRACE(describe(spec));
    ModelDraft draft = random_draft(spec, 3);
    const ModelDraft known = with_word(draft, "zyzzyva", compose_by_definition(draft, "zyzzyva"));
    const std::string text = random_text(spec, 20, 1) + " Zyzzyva " + random_text(spec, 5, 2);
    // Without words that both models compose: those of random_text may be unknown, too.
    const Reading composed = read_alone(load_model(draft), text);
    const Reading expected = read_alone(load_model(known), text);
    for (std::size_t i = 0; i < expected.scores.size(); ++i)
      EXPECT_NEAR(composed.scores[i], expected.scores[i], 1e-5) << "sums in another order";
  }
}

TEST(Subwords, AreOfNoAccountForTextsOfKnownWords) {
  for (const ModelSpec& spec : specs_with_subwords(9)) {
    SCOPED_TRACE(describe(spec));
    const ModelDraft draft = random_draft(spec, 3);
    ModelDraft without = draft;
    without.spec.subwords = {};
    std::erase_if(without.tensors, [](const auto& one) { return one.name == "subword.weight"; });
    std::string text;
    for (std::size_t i = 1; i < 30; ++i) text += synthetic_word(i % 20 + 1) + " ";
    EXPECT_EQ(read_alone(load_model(draft), text).scores,
              read_alone(load_model(without), text).scores);
  }
}

// Texts with more unknown words than the cache holds, and the same ones again.
std::vector<Query> unknown_texts(std::size_t count) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::size_t j = 0; j < 3 + i % 40; ++j)
      text += "x" + std::to_string((i * 31 + j * 7) % 1500) + "q " + synthetic_word(j) + " ";
    text += "averyverylongwordthatthecachedoesnothold" + std::string(i % 30, 'o');
    queries.push_back({text, {}, {}});
  }
  return queries;
}

TEST(Subwords, ReadingsDoNotDependOnTheCacheTheOrderOrTheThreads) {
  for (ModelSpec spec : specs_with_subwords(61)) {
    for (const WeightType type : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      spec.weight_type = type;
      SCOPED_TRACE(describe(spec));
      const Model model = load_model(random_draft(spec, 4));
      const std::vector<Query> queries = unknown_texts(60);
      Batch batch(model, 2);
      std::vector<Result<Reading>> together(queries.size());
      batch.read(queries, {}, together);
      Session session(model);
      for (std::size_t i = queries.size(); i-- > 0;) {
        const Reading alone = read_alone(model, queries[i].text);
        const Result<Reading> after_others = session.read(queries[i]);
        ASSERT_TRUE(after_others.has_value() && together[i].has_value());
        EXPECT_EQ(alone.scores, after_others->scores);
        EXPECT_EQ(alone.scores, together[i]->scores);
        EXPECT_EQ(alone.trace[0].steps, together[i]->trace[0].steps);
      }
    }
  }
}

TEST(Subwords, StreamingEqualsReadingTheWhole) {
  for (const ModelSpec& spec : specs_with_subwords(7)) {
    if (spec.bidirectional) continue;
    SCOPED_TRACE(describe(spec));
    Session session(load_model(random_draft(spec, 5)));
    const Query query = unknown_texts(30).back();
    const Result<Reading> whole = session.read(query);
    ASSERT_TRUE(whole.has_value());
    ASSERT_TRUE(session.begin().has_value());
    for (const TokenSpan& word : whole->words) {
      const std::string_view text(query.text);
      ASSERT_TRUE(session.push(text.substr(word.begin, word.end - word.begin)).has_value());
    }
    EXPECT_EQ(session.answer()->scores, whole->scores);
  }
}

TEST(Subwords, ComposingAllocatesNothingOnceTheBuffersHaveGrown) {
  ModelSpec spec = specs_with_subwords(23).front();
  Session session(load_model(random_draft(spec, 6)));
  Reading reading;
  const std::vector<Query> queries = unknown_texts(3);
  for (const Query& query : queries) ASSERT_TRUE(session.read(query, {}, reading).has_value());
  for (const Query& query : queries) ASSERT_TRUE(session.read(query, {}, reading).has_value());
  const std::size_t before = allocations();
  for (const Query& query : queries) ASSERT_TRUE(session.read(query, {}, reading).has_value());
  EXPECT_EQ(allocations(), before);
}

TEST(Subwords, TheCacheIsBoundedHoweverManyWordsAreSeen) {
  ModelSpec spec = specs_with_subwords(23).front();
  const auto bytes = to_bytes(random_draft(spec, 7));
  const auto file = open_model_bytes(*bytes, "m.skim");
  auto composer = WordComposer::create(*file);
  ASSERT_TRUE(composer.has_value());
  std::vector<float> rows;
  const auto see = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      composer->start_text(rows);
      EXPECT_GE(composer->compose("unseen" + std::to_string(i), rows),
                static_cast<WordId>(spec.vocab_size));
    }
  };
  see(0, 2000);
  const std::size_t before = allocated_bytes();
  see(2000, 10'000);
  EXPECT_LE(allocated_bytes(), before);
}

TEST(Subwords, AWordThatOccursTwiceInATextIsComposedOnce) {
  const auto bytes = to_bytes(random_draft(specs_with_subwords(23).front(), 7));
  const auto file = open_model_bytes(*bytes, "m.skim");
  auto composer = WordComposer::create(*file);
  std::vector<float> rows;
  composer->start_text(rows);
  const WordId first = composer->compose("unseen", rows);
  EXPECT_EQ(composer->compose("Unseen", rows), first);
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(file->spec.embedding_size));
  composer->start_text(rows);
  EXPECT_EQ(composer->compose("other", rows), first)
      << "ids count from the vocabulary in each text";
}

}  // namespace
}  // namespace skim

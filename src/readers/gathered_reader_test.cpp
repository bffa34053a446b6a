// Reading many texts at once gives every text the bits of reading it alone, for any schedule.
#include "readers/gathered_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/every_target.h"
#include "kernels/target.h"
#include "readers/sample_reading.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_spec.h"

namespace skim {
namespace {

using namespace sample;

#ifdef SKIM_SANITIZED
constexpr std::uint64_t kUsualSchedules = 12;
#else
constexpr std::uint64_t kUsualSchedules = 60;
#endif

// A text to read, in one or several chunks, and what reading it gives.
struct ReadText {
  std::vector<std::uint32_t> ids;
  Policy policy;
  std::size_t chunk_words = 0;
  std::size_t done = 0;
  State state;
  std::vector<float> log;
  std::vector<Step> steps;
};

// Hands out texts and chunks in an order that depends on the schedule.
class RandomSource final : public TextSource {
 public:
  RandomSource(const Reader& reader, std::vector<ReadText>& texts, std::size_t max_in_flight)
      : reader_(reader), texts_(texts), vacancies_(max_in_flight) {}

  bool next(std::size_t slot, TextChunk& chunk) override {
    ReadText*& text = in_flight_[slot];
    while (text == nullptr || text->done == text->ids.size()) {
      if (text != nullptr) ++vacancies_;
      text = nullptr;
      if (taken_ == texts_.size() || vacancies_ == 0) return false;
      text = &texts_[taken_++];
      --vacancies_;
      start(*text);
    }
    const std::size_t count = std::min(text->chunk_words, text->ids.size() - text->done);
    chunk.log = text->done == 0 ? text->log.data() : chunk.log;
    chunk.ids = std::span(text->ids).subspan(text->done, count);
    chunk.policy = text->policy;
    chunk.state = &text->state;
    chunk.steps = std::span(text->steps).subspan(text->done, count);
    text->done += count;
    return true;
  }

 private:
  void start(ReadText& text) const {
    reader_.start(text.state);
    const auto hidden = static_cast<std::size_t>(reader_.spec().hidden_size);
    text.log.resize(text.ids.size() * hidden + kLogPadding);
    text.steps.resize(text.ids.size());
  }

  const Reader& reader_;
  std::vector<ReadText>& texts_;
  std::size_t vacancies_;
  std::size_t taken_ = 0;
  std::array<ReadText*, GatheredReader::kSlots> in_flight_{};
};

Policy draw_policy(Random& random) {
  Policy policy;
  policy.threshold = random.bernoulli(0.2) ? (random.bernoulli(0.5) ? 0.0F : 1.0F)
                                           : static_cast<float>(random.uniform());
  if (random.bernoulli(0.2)) policy.rule = Policy::Rule::argmax;
  if (random.bernoulli(0.2)) policy.rule = Policy::Rule::sample;
  policy.seed = random.below(100);
  return policy;
}

std::vector<ReadText> draw_texts(Random& random, std::size_t vocab_size) {
  std::vector<ReadText> texts(1 + random.below(40));
  const Policy common = draw_policy(random);
  const bool same_policy = random.bernoulli(0.5);
  for (ReadText& text : texts) {
    const std::size_t most = random.bernoulli(0.1) ? 400 : 60;
    for (std::size_t count = random.below(most); count > 0; --count)
      text.ids.push_back(static_cast<std::uint32_t>(random.below(vocab_size)));
    text.policy = same_policy ? common : draw_policy(random);
    text.chunk_words = random.bernoulli(0.7) ? text.ids.size() : 1 + random.below(150);
  }
  return texts;
}

ReaderSpec draw_spec(Random& random) {
  ReaderSpec spec;
  spec.kind = random.bernoulli(0.7) ? ReaderKind::skim : ReaderKind::dense;
  spec.cell = random.bernoulli(0.7) ? Cell::lstm : Cell::gru;
  spec.input_size = draw_between(random, 1, 40);
  spec.hidden_size = draw_between(random, 2, 130);
  spec.skim_sizes.clear();
  if (spec.kind == ReaderKind::skim)
    spec.skim_sizes = {draw_between(random, 1, std::min(spec.hidden_size - 1, 24))};
  spec.small_input = draw_enum<SmallInput>(random);
  return spec;
}

void expect_as_alone(const Reader& reader, const ReadText& text) {
  Input input;
  input.ids = text.ids;
  const Outcome alone = run(reader, input, text.policy);
  ASSERT_EQ(text.steps, alone.steps);
  std::size_t logged = 0;
  for (const Step& step : text.steps) logged += step.width;
  for (std::size_t i = 0; i < logged; ++i) ASSERT_EQ(text.log[i], alone.log[i]) << i;
  for (std::size_t i = 0; i < alone.hidden.size(); ++i)
    ASSERT_EQ(text.state.hidden[i], alone.hidden[i]) << i;
}

void check_case(std::uint64_t seed) {
  Random random(seed, 5);
  const ReaderSpec spec = draw_spec(random);
  const Weights weights(spec, seed);
  const Text words(1 + random.below(50), spec.input_size, seed + 1);
  const RowEmbeddings embeddings(words.rows());
  const std::size_t table_bytes = random.bernoulli(0.5) ? 1U << 20U : random.below(20000);
  const auto type = draw_enum<WeightType>(random);
  const std::size_t max_in_flight = 1 + random.below(GatheredReader::kSlots);
  const std::vector<ReadText> drawn = draw_texts(random, embeddings.num_embeddings());
  on_every_target([&] {
    SCOPED_TRACE(target_name());
    const auto reader = make_reader(spec, weights.tensors, type, &embeddings, table_bytes);
    const auto gathered = reader->gather();
    if (gathered == nullptr) return;  // small cells of several groups
    for (int call = 0; call < 2; ++call) {
      std::vector<ReadText> texts(drawn.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        texts[i].ids = drawn[i].ids;
        texts[i].policy = drawn[i].policy;
        texts[i].chunk_words = drawn[i].chunk_words;
      }
      RandomSource source(*reader, texts, max_in_flight);
      gathered->read(source);
      for (const ReadText& text : texts) ASSERT_NO_FATAL_FAILURE(expect_as_alone(*reader, text));
    }
  });
}

TEST(RandomGatheredReaders, GiveEveryTextTheBitsOfReadingItAlone) {
  for_each_case(kUsualSchedules, check_case);
}

ReaderSpec paper_spec() {
  ReaderSpec spec;
  spec.kind = ReaderKind::skim;
  spec.input_size = 100;
  spec.hidden_size = 100;
  spec.skim_sizes = {10};
  return spec;
}

TEST(GatheredReader, ExistsForThePapersReaderWithEveryWeightType) {
  const ReaderSpec spec = paper_spec();
  const Weights weights(spec, 1);
  const Text words(5, spec.input_size, 2);
  const RowEmbeddings embeddings(words.rows());
  for (const WeightType type : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    on_every_target([&] {
      const auto reader = make_reader(spec, weights.tensors, type, &embeddings, 1U << 20U);
      // Ten units are too many vectors on the scalar target.
      EXPECT_EQ(reader->gather() != nullptr, vector_lanes() > 1) << target_name();
    });
  }
}

TEST(GatheredReader, DoesNotExistForReadersOfRowsAndOtherMethods) {
  ReaderSpec spec = paper_spec();
  const Weights weights(spec, 1);
  EXPECT_EQ(make_reader(spec, weights.tensors, WeightType::f32)->gather(), nullptr);
  spec.kind = ReaderKind::skip_rnn;
  spec.skim_sizes.clear();
  const Weights skip_weights(spec, 1);
  const Text words(5, spec.input_size, 2);
  const RowEmbeddings embeddings(words.rows());
  EXPECT_EQ(
      make_reader(spec, skip_weights.tensors, WeightType::f32, &embeddings, 1U << 20U)->gather(),
      nullptr);
}

}  // namespace
}  // namespace skim

// Parity of runtime and trainer on random specs, weights, texts and thresholds: both must make the
// same decisions and give the same scores (tests/support/random_cases.h runs more cases).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "skim/session.h"
#include "spec/spec_json.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_draft.h"
#include "tests/support/random_spec.h"
#include "train/replay.h"

namespace skim::train {
namespace {

constexpr std::uint64_t kUsualParityCases = 60;
// Both compute in f32 and add in different orders: single roundings of 6e-8, carried through 40
// words and three layers.
constexpr float kParityTolerance = 5e-5F;

struct ParityCase {
  ModelFile file;
  Model model;
  Query query;
  Policy policy;
};

Query draw_query(const ModelSpec& spec, Random& random) {
  const auto text = [&](std::size_t count) { return random_text(spec, count, random.next()); };
  Query query{text(1 + random.below(40)), {}, {}};
  if (spec.net != NetKind::classifier) query.question = text(1 + random.below(8));
  if (spec.net == NetKind::cloze)
    for (std::size_t i = 0; i < 2 + random.below(3); ++i) query.choices.push_back(text(1));
  return query;
}

float draw_threshold(Random& random) {
  if (random.bernoulli(0.1)) return random.bernoulli(0.5) ? 0.0F : 1.0F;
  return static_cast<float>(0.05 + 0.9 * random.uniform());
}

ParityCase draw_case(std::uint64_t seed) {
  Random random(seed, 8);
  const ModelSpec spec = draw_model_spec(random, {});
  const std::vector<std::byte> bytes = to_bytes(random_draft(spec, seed)).value();
  Query query = draw_query(spec, random);
  const Policy policy{.threshold = draw_threshold(random)};
  return {open_model_bytes(bytes, "random").value(), Model::from_bytes(bytes).value(),
          std::move(query), policy};
}

Reading read(const ParityCase& drawn, float threshold) {
  Session session(drawn.model);
  return session.read(drawn.query, {.threshold = threshold}).value();
}

// The first step at which the widths differ, as pass and step; the number of passes when none does.
std::pair<std::size_t, std::size_t> find_difference(const Trace& left, const Trace& right) {
  for (std::size_t pass = 0; pass < left.size(); ++pass) {
    for (std::size_t t = 0; t < left[pass].steps.size(); ++t) {
      if (left[pass].steps[t].width != right[pass].steps[t].width) return {pass, t};
    }
  }
  return {left.size(), 0};
}

// Whether the decision of a step is so close to the threshold that rounding may change it: then
// slightly different thresholds give different widths there.
bool is_tie(const ParityCase& drawn, std::size_t pass, std::size_t t) {
  constexpr float kNudge = 1e-4F;
  const float threshold = drawn.policy.threshold;
  const Reading more = read(drawn, std::max(0.0F, threshold - kNudge));
  const Reading less = read(drawn, std::min(1.0F, threshold + kNudge));
  return more.trace[pass].steps[t].width != less.trace[pass].steps[t].width;
}

void expect_same_scores(const Probe& trained, const Reading& read) {
  ASSERT_EQ(read.scores.size(), trained.scores.size());
  // A number may be larger than a probability.
  for (std::size_t i = 0; i < read.scores.size(); ++i)
    ASSERT_NEAR(read.scores[i], trained.scores[i],
                kParityTolerance * std::max(1.0F, std::abs(trained.scores[i])))
        << "score " << i;
}

// Equal, or as good by the trainer's scores.
void expect_same_answer(const Probe& trained, const Reading& read) {
  if (trained.index >= 0) {
    ASSERT_GE(read.answer.index, 0);
    const float best = trained.scores[static_cast<std::size_t>(trained.index)];
    EXPECT_NEAR(trained.scores[static_cast<std::size_t>(read.answer.index)], best,
                kParityTolerance);
    return;
  }
  const std::size_t count = read.words.size();
  float trained_score = 0, read_score = 0;
  for (std::size_t first = 0; first < count; ++first) {
    for (std::size_t last = first; last < count; ++last) {
      const float score = trained.scores[first] * trained.scores[count + last];
      const std::size_t begin = read.words[first].begin, end = read.words[last].end;
      if (begin == trained.begin && end == trained.end) trained_score = score;
      if (begin == read.answer.begin && end == read.answer.end) read_score = score;
    }
  }
  EXPECT_NEAR(read_score, trained_score, kParityTolerance);
}

void expect_same_reading(const ParityCase& drawn) {
  const auto probes = replay(drawn.file, {drawn.query}, drawn.policy);
  ASSERT_TRUE(probes.has_value()) << probes.error().message;
  const Probe& trained = probes->at(0);
  const Reading reading = read(drawn, drawn.policy.threshold);
  ASSERT_EQ(reading.trace.size(), trained.trace.size());
  for (std::size_t i = 0; i < trained.trace.size(); ++i)
    ASSERT_EQ(reading.trace[i].steps.size(), trained.trace[i].steps.size()) << "pass " << i;
  const auto [pass, t] = find_difference(reading.trace, trained.trace);
  if (pass < trained.trace.size()) {
    EXPECT_TRUE(is_tie(drawn, pass, t))
        << "pass " << trained.trace[pass].reader << ", word " << t << ": the runtime updates "
        << reading.trace[pass].steps[t].width << " units, the trainer "
        << trained.trace[pass].steps[t].width << "; p_read " << reading.trace[pass].steps[t].p_read
        << " and " << trained.trace[pass].steps[t].p_read;
    return;
  }
  expect_same_scores(trained, reading);
  if (drawn.file.spec.output != OutputActivation::linear) expect_same_answer(trained, reading);
}

TEST(RandomParity, TrainerAndRuntimeReadAlike) {
  for_each_case(kUsualParityCases, [](std::uint64_t seed) {
    const ParityCase drawn = draw_case(seed);
    SCOPED_TRACE(to_text(to_json(drawn.file.spec)) + "\nthreshold " +
                 std::to_string(drawn.policy.threshold) + ", text: " + drawn.query.text);
    expect_same_reading(drawn);
  });
}

}  // namespace
}  // namespace skim::train

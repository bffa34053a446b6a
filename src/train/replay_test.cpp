// The trainer's nets against the independent oracles: what is learned is what the papers describe.
#include "train/replay.h"

#include <gtest/gtest.h>

#include "tests/oracles/fixture.h"

namespace skim::train {
namespace {

using namespace oracle;

// The trainer computes in 32 bits, too, but adds up in the order of its matrix products. Its p_read
// goes through a logarithm.
constexpr double kReplayTolerance = 5e-6;

void expect_same_replay(const Json& fixture) {
  const Result<ModelDraft> draft = make_draft(fixture);
  ASSERT_TRUE(draft.has_value()) << draft.error().message;
  const Result<std::vector<std::byte>> bytes = to_bytes(*draft);
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  const Result<ModelFile> file = open_model_bytes(*bytes, "oracle");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  for (const Json& query : fixture["queries"]) {
    SCOPED_TRACE(query["text"].get<std::string>() + " at threshold " + query["threshold"].dump());
    const Policy policy = to_policy(query);
    // The trainer reads one unknown word where a text is empty, and knows thresholds only.
    if (query["text"] == "" || policy.rule != Policy::Rule::threshold) continue;
    const auto probes = replay(*file, {to_query(query)}, policy);
    ASSERT_TRUE(probes.has_value()) << probes.error().message;
    const Probe& probe = probes->at(0);
    expect_same_trace(probe.trace, query["trace"], kReplayTolerance);
    expect_same_numbers(probe.scores, query["scores"], kReplayTolerance);
    EXPECT_EQ(probe.index, query["answer"]["index"].get<int>());
    if (!query["answer"].contains("begin")) continue;
    EXPECT_EQ(probe.begin, query["answer"]["begin"].get<std::size_t>());
    EXPECT_EQ(probe.end, query["answer"]["end"].get<std::size_t>());
  }
}

class Replay : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Replay, TheTrainerReadsAsTheOracleDoes) {
  for (const Json& fixture : load_fixture(GetParam())) {
    SCOPED_TRACE(fixture["name"].get<std::string>());
    expect_same_replay(fixture);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Replay, testing::ValuesIn(fixture_files()),
                         [](const auto& given) { return given.param.stem().string(); });

}  // namespace
}  // namespace skim::train

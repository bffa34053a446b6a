// Whole models against an independent program (tools/make_oracle_fixtures.py): NumPy in double
// precision, written from the documents and the papers, its dense models checked with PyTorch.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "skim/model.h"
#include "skim/session.h"
#include "spec/params.h"
#include "tests/oracles/fixture.h"

namespace skim {
namespace {

using namespace oracle;

// The engine computes in 32 bits: a few dozen rounded products per unit, handed on through up to 60
// steps and six layers. On AVX2 scores differ by 1e-7 at most and p_read by 6e-7, of which 5e-7
// come from the six decimals that fixtures hold; other instruction sets add up in another order.
constexpr double kScoreTolerance = 2e-6;
constexpr double kProbabilityTolerance = 3e-6;

void expect_same_answer(const Answer& answer, const Json& expected) {
  EXPECT_EQ(answer.text, expected["text"].get<std::string>());
  EXPECT_EQ(answer.index, expected["index"].get<int>());
  EXPECT_NEAR(answer.score, expected["score"].get<double>(), kScoreTolerance);
  if (!expected.contains("begin")) return;
  EXPECT_EQ(answer.begin, expected["begin"].get<std::size_t>());
  EXPECT_EQ(answer.end, expected["end"].get<std::size_t>());
}

class Oracles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Oracles, TensorsHaveTheDocumentedNamesAndShapes) {
  for (const Json& model : load_fixture(GetParam())) {
    SCOPED_TRACE(model["name"].get<std::string>());
    const Result<ModelSpec> spec = parse_model_spec(model["spec"], "spec");
    ASSERT_TRUE(spec.has_value()) << spec.error().message;
    std::map<std::string, std::vector<std::size_t>> ours, documented;
    for (const TensorSpec& tensor : model_tensors(*spec)) ours[tensor.name] = tensor.shape;
    for (const Json& tensor : model["tensors"])
      documented[tensor["name"]] = tensor["shape"].get<std::vector<std::size_t>>();
    EXPECT_EQ(ours, documented);
  }
}

void expect_same_readings(const Json& fixture) {
  const Result<ModelDraft> draft = make_draft(fixture);
  ASSERT_TRUE(draft.has_value()) << draft.error().message;
  const Result<std::vector<std::byte>> bytes = to_bytes(*draft);
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  const Result<Model> model = Model::from_bytes(*bytes, "oracle");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  Session session(*model);
  for (const Json& query : fixture["queries"]) {
    SCOPED_TRACE(query["text"].get<std::string>() + " at threshold " + query["threshold"].dump());
    const Result<Reading> reading = session.read(to_query(query), to_policy(query));
    ASSERT_TRUE(reading.has_value()) << reading.error().message;
    expect_same_trace(reading->trace, query["trace"], kProbabilityTolerance);
    expect_same_numbers(reading->scores, query["scores"], kScoreTolerance);
    expect_same_answer(reading->answer, query["answer"]);
  }
}

TEST_P(Oracles, AnswersScoresWidthsAndProbabilitiesAreThoseOfTheOracle) {
  for (const Json& fixture : load_fixture(GetParam())) {
    SCOPED_TRACE(fixture["name"].get<std::string>());
    expect_same_readings(fixture);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Oracles, testing::ValuesIn(fixture_files()),
                         [](const auto& given) { return given.param.stem().string(); });

}  // namespace
}  // namespace skim

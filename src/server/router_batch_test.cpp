// POST /v1/read/batch.
#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/support/sample_router.h"

namespace skim::server {
namespace {

TEST(Router, ABatchKeepsItsOrderAndReportsErrorsPerElement) {
  TestServer server;
  const Response response = server.batch(R"({"texts": ["abc", 1, "bcd cde"], "words": true})");
  EXPECT_EQ(response.status, 200);
  const Json json = parse_body(response);
  EXPECT_EQ(json["model"], "first");
  ASSERT_EQ(json["answers"].size(), 3U);
  EXPECT_EQ(json["answers"][0]["words"].size(), 1U);
  EXPECT_EQ(json["answers"][1]["error"]["status"], 400);
  EXPECT_EQ(json["answers"][1]["error"]["field"], "text");
  EXPECT_EQ(json["answers"][2]["words"].size(), 2U);
  EXPECT_EQ(server.outcome.texts, 2U);
}

TEST(Router, ABatchAcceptsQueries) {
  TestServer server;
  const Json json = parse_body(server.batch(
      R"({"model": "second", "queries": [{"text": "abc"}, {"text": "a", "question": "b"}, 1]})"));
  EXPECT_TRUE(json["answers"][0].contains("answer"));
  EXPECT_FALSE(json["answers"][0].contains("words"));
  EXPECT_EQ(json["answers"][1]["error"]["status"], 422);
  EXPECT_EQ(json["answers"][2]["error"]["status"], 400);
}

TEST(Router, UnknownFieldsOfAQueryAreErrorsOfItsElement) {
  TestServer server;
  const Json json = parse_body(server.batch(
      R"({"queries": [{"text": "abc", "treshold": 1}, {"text": "abc", "model": "second"},
                      {"text": "abc"}]})"));
  EXPECT_EQ(json["answers"][0]["error"]["status"], 400);
  EXPECT_EQ(json["answers"][0]["error"]["field"], "treshold");
  EXPECT_EQ(json["answers"][1]["error"]["field"], "model");
  EXPECT_TRUE(json["answers"][2].contains("answer"));
}

TEST(Router, ABatchHasExactlyOneListOfLimitedLength) {
  TestServer server;
  server.options.limits.batch = 2;
  EXPECT_EQ(parse_body(server.batch(R"({"texts": []})"))["answers"], Json::array());
  EXPECT_EQ(status_and_field(server.batch(R"({"texts": ["a", "b", "c"]})")),
            (StatusAndField{422, "texts"}));
  EXPECT_EQ(status_and_field(server.batch(R"({"texts": "a"})")), (StatusAndField{400, "texts"}));
  EXPECT_EQ(status_and_field(server.batch(R"({"texts": [], "queries": []})")),
            (StatusAndField{400, "queries"}));
  EXPECT_EQ(status_and_field(server.batch("{}")), (StatusAndField{400, "texts"}));
  EXPECT_EQ(status_and_field(server.batch(R"({"text": "a"})")), (StatusAndField{400, "text"}));
}

}  // namespace
}  // namespace skim::server

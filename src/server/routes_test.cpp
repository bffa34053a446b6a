#include "server/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "server/page.h"
#include "tests/support/sample_site.h"

namespace skim::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// A site and a desk, asked without a socket.
struct Asked {
  Site site = sample_site();
  Metrics metrics{{"first", "second"}};
  Desk desk{site.models};
  Outcome outcome;

  Response ask(std::string_view method, std::string_view path, std::string_view body = {},
               std::vector<Header> headers = {}) {
    headers.push_back({"content-type", "application/json"});
    outcome = {};
    return answer(site, metrics, {method, path, std::move(headers), body}, &desk, outcome);
  }
  Response read(std::string_view body) { return ask("POST", "/v1/read", body); }
  Response batch(std::string_view body) { return ask("POST", "/v1/read/batch", body); }
};

Json json_of(const Response& response) {
  const auto json = parse_json(response.content(), "answer");
  EXPECT_TRUE(json) << response.content();
  return json ? *json : Json();
}

// The status and the field to blame of a request that is refused.
std::pair<int, std::string> blame(const Response& response) {
  const Json error = json_of(response).value("error", Json::object());
  EXPECT_EQ(error.value("status", 0), response.status);
  EXPECT_FALSE(error.value("message", std::string()).empty());
  return {response.status, error.value("field", std::string())};
}
using Blame = std::pair<int, std::string>;

std::string header_of(const Response& response, std::string_view name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return "";
}

TEST(Routes, AReadingHasTheAnswerOfASession) {
  Asked asked;
  const Response response = asked.read(R"({"text": "abc bcd cde"})");
  EXPECT_EQ(response.status, 200);
  const Json json = json_of(response);
  Session session(asked.site.models[0].model);
  const auto reading = session.ask({"abc bcd cde", {}, {}});
  ASSERT_TRUE(reading);
  EXPECT_EQ(json["model"], "first");
  EXPECT_EQ(json["answer"]["text"], reading->answer.text);
  EXPECT_EQ(json["words"].size(), 3U);
  EXPECT_FALSE(json.contains("passes"));
  EXPECT_EQ(asked.outcome.words, 3U);
  EXPECT_EQ(asked.outcome.model, "first");
}

TEST(Routes, WordsAndPassesAreAChoice) {
  Asked asked;
  const Json bare = json_of(asked.read(R"({"text": "abc", "words": false})"));
  EXPECT_FALSE(bare.contains("words"));
  const Json full = json_of(asked.read(R"({"text": "abc", "passes": true})"));
  EXPECT_EQ(full["passes"][0]["steps"].size(), 1U);
}

TEST(Routes, TheThresholdDecidesHowMuchIsRead) {
  Asked asked;
  const auto rate = [&](const std::string& threshold) {
    return json_of(
        asked.read(R"({"text": "abc bcd", "threshold": )" + threshold + "}"))["skim_rate"];
  };
  EXPECT_EQ(rate("0"), 0.0);
  EXPECT_EQ(rate("1"), 1.0);
}

TEST(Routes, AModelIsChosenByItsName) {
  Asked asked;
  EXPECT_EQ(json_of(asked.read(R"({"text": "abc", "model": "second"})"))["model"], "second");
  EXPECT_EQ(blame(asked.read(R"({"text": "abc", "model": "third"})")), (Blame{422, "model"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "abc", "model": "../first"})")), (Blame{422, "model"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "abc", "model": ""})")), (Blame{422, "model"}));
}

TEST(Routes, WhatIsWrongWithARequestIsNamed) {
  Asked asked;
  EXPECT_EQ(blame(asked.read("")), (Blame{400, ""}));
  EXPECT_EQ(blame(asked.read("[]")), (Blame{400, ""}));
  EXPECT_EQ(blame(asked.read("{\"text\": \"\xFF\"}")), (Blame{400, ""}));
  EXPECT_EQ(blame(asked.read(std::string(100, '['))), (Blame{400, ""}));
  EXPECT_EQ(blame(asked.read("{}")), (Blame{400, "text"}));
  EXPECT_EQ(blame(asked.read(R"({"text": 1})")), (Blame{400, "text"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "treshold": 1})")), (Blame{400, "treshold"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "threshold": "1"})")), (Blame{400, "threshold"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "threshold": 2})")), (Blame{422, "threshold"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "budget": -1})")), (Blame{422, "budget"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "words": 1})")), (Blame{400, "words"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "passes": null})")), (Blame{400, "passes"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "model": 1})")), (Blame{400, "model"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "question": 1})")), (Blame{400, "question"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "choices": "b"})")), (Blame{400, "choices"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "threshold": 1, "budget": 1})")),
            (Blame{400, "budget"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "a", "question": "b"})")), (Blame{422, ""}));
}

TEST(Routes, ABudgetOfAModelThatWasNeverCalibratedIsRefusedWithoutNamingItsFile) {
  Asked asked;
  const Response response = asked.read(R"({"text": "a", "budget": 0.5})");
  EXPECT_EQ(blame(response), (Blame{422, "budget"}));
  EXPECT_THAT(std::string(response.content()), HasSubstr("first was never calibrated"));
  EXPECT_THAT(std::string(response.content()), Not(HasSubstr("/secret/")));
}

TEST(Routes, TextsAndQuestionsHaveLimits) {
  Asked asked;
  asked.site.limits.text_bytes = 3;
  asked.site.limits.question_bytes = 2;
  EXPECT_EQ(asked.read(R"({"text": "abc"})").status, 200);
  EXPECT_EQ(blame(asked.read(R"({"text": "abcd"})")), (Blame{422, "text"}));
  EXPECT_EQ(blame(asked.read(R"({"text": "abc", "question": "b", "choices": ["c", "d"]})")),
            (Blame{422, "question"}));
}

TEST(Routes, AZeroInATextIsACharacterLikeOthers) {
  Asked asked;
  EXPECT_EQ(asked.read(R"({"text": "a\u0000b"})").status, 200);
  EXPECT_EQ(asked.read(std::string("{\"text\": \"a\0b\"}", 15)).status, 400);
}

TEST(Routes, ABatchIsAnsweredInOrderAndABadElementInItsPlace) {
  Asked asked;
  const Response response = asked.batch(R"({"texts": ["abc", 1, "bcd cde"], "words": true})");
  EXPECT_EQ(response.status, 200);
  const Json json = json_of(response);
  EXPECT_EQ(json["model"], "first");
  ASSERT_EQ(json["answers"].size(), 3U);
  EXPECT_EQ(json["answers"][0]["words"].size(), 1U);
  EXPECT_EQ(json["answers"][1]["error"]["status"], 400);
  EXPECT_EQ(json["answers"][1]["error"]["field"], "text");
  EXPECT_EQ(json["answers"][2]["words"].size(), 2U);
  EXPECT_EQ(asked.outcome.texts, 2U);
}

TEST(Routes, ABatchMayHoldQueries) {
  Asked asked;
  const Json json = json_of(asked.batch(
      R"({"model": "second", "queries": [{"text": "abc"}, {"text": "a", "question": "b"}, 1]})"));
  EXPECT_TRUE(json["answers"][0].contains("answer"));
  EXPECT_FALSE(json["answers"][0].contains("words"));
  EXPECT_EQ(json["answers"][1]["error"]["status"], 422);
  EXPECT_EQ(json["answers"][2]["error"]["status"], 400);
}

TEST(Routes, ABatchHasOneListAndALimit) {
  Asked asked;
  asked.site.limits.batch = 2;
  EXPECT_EQ(json_of(asked.batch(R"({"texts": []})"))["answers"], Json::array());
  EXPECT_EQ(blame(asked.batch(R"({"texts": ["a", "b", "c"]})")), (Blame{422, "texts"}));
  EXPECT_EQ(blame(asked.batch(R"({"texts": "a"})")), (Blame{400, "texts"}));
  EXPECT_EQ(blame(asked.batch(R"({"texts": [], "queries": []})")), (Blame{400, "queries"}));
  EXPECT_EQ(blame(asked.batch("{}")), (Blame{400, "texts"}));
  EXPECT_EQ(blame(asked.batch(R"({"text": "a"})")), (Blame{400, "text"}));
}

TEST(Routes, OnlyJsonIsTaken) {
  Asked asked;
  Outcome outcome;
  for (const std::string_view type : {"", "text/plain", "application/jsonx"}) {
    const Response response =
        answer(asked.site, asked.metrics, {"POST", "/v1/read", {{"content-type", type}}, "{}"},
               &asked.desk, outcome);
    EXPECT_EQ(response.status, 415) << type;
  }
  const Response fine = answer(asked.site, asked.metrics,
                               {"POST",
                                "/v1/read",
                                {{"content-type", "application/json; charset=utf-8"}},
                                R"({"text":"a"})"},
                               &asked.desk, outcome);
  EXPECT_EQ(fine.status, 200);
}

TEST(Routes, ModelsAreDescribedWithoutTheirFiles) {
  Asked asked;
  const Response response = asked.ask("GET", "/v1/models");
  const Json json = json_of(response);
  EXPECT_EQ(json["default"], "first");
  ASSERT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][1]["name"], "second");
  EXPECT_EQ(json["models"][1]["directions"], 2);
  EXPECT_EQ(json["models"][0]["calibrated"], false);
  EXPECT_TRUE(json["models"][0]["budgets"].is_null());
  EXPECT_THAT(std::string(response.content()), Not(HasSubstr("/secret/")));
}

TEST(Routes, UnknownPathsAndWrongMethodsAreToldApart) {
  Asked asked;
  for (const std::string_view path : {"/v1", "/v1/read/", "/index.html", "/../etc/passwd", "*"}) {
    EXPECT_EQ(asked.ask("GET", path).status, 404) << path;
  }
  const Response wrong = asked.ask("GET", "/v1/read");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(header_of(wrong, "Allow"), "POST");
  EXPECT_EQ(header_of(asked.ask("DELETE", "/healthz"), "Allow"), "GET, HEAD");
  EXPECT_EQ(asked.ask("OPTIONS", "/v1/read").status, 405);
  EXPECT_EQ(asked.ask("HEAD", "/healthz").status, 200);
}

TEST(Routes, AllPageFilesAreServedUnderAStrictPolicy) {
  Asked asked;
  ASSERT_FALSE(page_files().empty());
  for (const PageFile& file : page_files()) {
    const Response response = asked.ask("GET", file.path);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.content(), file.bytes);
    EXPECT_EQ(response.type, file.type);
    EXPECT_THAT(header_of(response, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
    const Response again = asked.ask("GET", file.path, "", {{"if-none-match", file.etag}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.content(), "");
  }
  EXPECT_EQ(asked.ask("GET", "/").type, "text/html; charset=utf-8");
}

TEST(Routes, ATokenGuardsAllButThePageAndTheHealth) {
  Asked asked;
  asked.site.token = "0123456789abcdef";
  for (const std::string_view path : {"/v1/models", "/metrics", "/v1/openapi.json"}) {
    const Response refused = asked.ask("GET", path);
    EXPECT_EQ(refused.status, 401) << path;
    EXPECT_EQ(header_of(refused, "WWW-Authenticate"), "Bearer");
    for (const std::string_view shown :
         {"Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer ", "0123456789abcdef",
          "Basic 0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef"}) {
      EXPECT_EQ(asked.ask("GET", path, "", {{"authorization", shown}}).status, 401) << shown;
    }
    EXPECT_EQ(asked.ask("GET", path, "", {{"authorization", "Bearer 0123456789abcdef"}}).status,
              200);
  }
  EXPECT_EQ(asked.read(R"({"text": "a"})").status, 401);
  EXPECT_EQ(asked.ask("GET", "/").status, 200);
  EXPECT_EQ(asked.ask("GET", "/healthz").status, 200);
}

TEST(Routes, OnlyReadingNeedsADeskAndOnlyIfItIsAllowed) {
  Asked asked;
  const auto needs = [&](std::string_view method, std::string_view path) {
    return needs_desk(asked.site, {method, path, {}, {}});
  };
  EXPECT_TRUE(needs("POST", "/v1/read"));
  EXPECT_TRUE(needs("POST", "/v1/read/batch"));
  EXPECT_FALSE(needs("GET", "/v1/read"));
  EXPECT_FALSE(needs("POST", "/v1/readx"));
  EXPECT_FALSE(needs("GET", "/healthz"));
  asked.site.token = "0123456789abcdef";
  EXPECT_FALSE(needs("POST", "/v1/read"));
}

TEST(Routes, OtherOriginsMayAskOnlyWhenAllowed) {
  Asked asked;
  EXPECT_EQ(header_of(asked.ask("GET", "/healthz"), "Access-Control-Allow-Origin"), "");
  asked.site.cors = "https://example.org";
  EXPECT_EQ(header_of(asked.ask("GET", "/healthz"), "Access-Control-Allow-Origin"),
            "https://example.org");
  const Response preflight = asked.ask("OPTIONS", "/v1/read");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_EQ(asked.ask("OPTIONS", "/nothing").status, 404);
}

TEST(Routes, ADeskGivesBackTheMemoryOfAGiantAndAnswersOn) {
  Asked asked;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "abc ";
  const std::string body = R"({"words": false, "text": ")" + text + "\"}";
  EXPECT_EQ(asked.read(body).status, 200);
  EXPECT_EQ(asked.desk.reading().words.capacity(), 0U);
  EXPECT_EQ(asked.read(R"({"text": "abc"})").status, 200);
}

TEST(EqualInConstantTime, IsEquality) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", ""));
  EXPECT_FALSE(equal_in_constant_time("abab", "ab"));
}

}  // namespace
}  // namespace skim::server

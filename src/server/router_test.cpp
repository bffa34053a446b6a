#include "server/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "server/page.h"
#include "tests/support/sample_router.h"

namespace skim::server {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string find_header(const Response& response, std::string_view name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return "";
}

TEST(Router, AReadingEqualsThatOfASession) {
  TestServer server;
  const Response response = server.read(R"({"text": "abc bcd cde"})");
  EXPECT_EQ(response.status, 200);
  const Json json = parse_body(response);
  Session session(server.models.current()->model(0));
  const auto reading = session.read({"abc bcd cde", {}, {}});
  ASSERT_TRUE(reading);
  EXPECT_EQ(json["model"], "first");
  EXPECT_EQ(json["answer"]["text"], reading->answer.text);
  EXPECT_EQ(json["words"].size(), 3U);
  EXPECT_FALSE(json.contains("passes"));
  EXPECT_EQ(server.outcome.words, 3U);
  EXPECT_EQ(server.outcome.model, "first");
}

TEST(Router, AModelThatOverflowsIsAnInternalErrorWithoutItsPath) {
  TestServer server(overflowing_models());
  const Response response = server.read(R"({"text": "abc bcd cde"})");
  EXPECT_EQ(status_and_field(response), (StatusAndField{500, ""}));
  EXPECT_THAT(std::string(response.content()), HasSubstr("first: the model computes"));
  EXPECT_THAT(std::string(response.content()), Not(HasSubstr("secret")));
  const Json batch = parse_body(server.batch(R"({"texts": ["abc"]})"));
  EXPECT_EQ(batch["answers"][0]["error"]["status"], 500);
}

TEST(Router, WordsAndPassesAreOptional) {
  TestServer server;
  const Json bare = parse_body(server.read(R"({"text": "abc", "words": false})"));
  EXPECT_FALSE(bare.contains("words"));
  const Json full = parse_body(server.read(R"({"text": "abc", "passes": true})"));
  EXPECT_EQ(full["passes"][0]["steps"].size(), 1U);
}

TEST(Router, StopsReadingWhenConfident) {
  TestServer server;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "abc ";
  const Json early = parse_body(server.read(R"({"text": ")" + text + R"(", "confident": 0})"));
  EXPECT_NEAR(early["unseen_share"].get<double>(), 0.36, 1e-6);
  EXPECT_EQ(early["words"].size(), 200U);
  EXPECT_FALSE(early["words"][128].contains("width"));
  EXPECT_FALSE(parse_body(server.read(R"({"text": "abc"})")).contains("unseen_share"));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "confident": -1})")),
            (StatusAndField{422, "confident"}));
}

TEST(Router, AbstainsBelowTheGivenScore) {
  TestServer server;
  const auto read = [&](const std::string& abstain) {
    return parse_body(server.read(R"({"text": "abc", "abstain": )" + abstain + "}"));
  };
  EXPECT_TRUE(read("1")["abstained"].get<bool>());
  EXPECT_FALSE(read("0")["abstained"].get<bool>());
  EXPECT_TRUE(read("1").contains("scores"));
  EXPECT_FALSE(parse_body(server.read(R"({"text": "abc"})")).contains("abstained"));
  const Json batch = parse_body(server.batch(R"({"texts": ["abc", "bcd"], "abstain": 1})"));
  EXPECT_TRUE(batch["answers"][1]["abstained"].get<bool>());
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "abstain": 2})")),
            (StatusAndField{422, "abstain"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "abstain": "no"})")),
            (StatusAndField{400, "abstain"}));
}

TEST(Router, TheThresholdControlsTheSkimRate) {
  TestServer server;
  const auto rate = [&](const std::string& threshold) {
    return parse_body(
        server.read(R"({"text": "abc bcd", "threshold": )" + threshold + "}"))["skim_rate"];
  };
  EXPECT_EQ(rate("0"), 0.0);
  EXPECT_EQ(rate("1"), 1.0);
}

TEST(Router, SelectsTheModelByName) {
  TestServer server;
  EXPECT_EQ(parse_body(server.read(R"({"text": "abc", "model": "second"})"))["model"], "second");
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "model": "third"})")),
            (StatusAndField{422, "model"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "model": "../first"})")),
            (StatusAndField{422, "model"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abc", "model": ""})")),
            (StatusAndField{422, "model"}));
}

TEST(Router, ErrorsNameTheInvalidField) {
  TestServer server;
  EXPECT_EQ(status_and_field(server.read("")), (StatusAndField{400, ""}));
  EXPECT_EQ(status_and_field(server.read("[]")), (StatusAndField{400, ""}));
  EXPECT_EQ(status_and_field(server.read("{\"text\": \"\xFF\"}")), (StatusAndField{400, ""}));
  EXPECT_EQ(status_and_field(server.read(std::string(100, '['))), (StatusAndField{400, ""}));
  EXPECT_EQ(status_and_field(server.read("{}")), (StatusAndField{400, "text"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": 1})")), (StatusAndField{400, "text"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "treshold": 1})")),
            (StatusAndField{400, "treshold"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "threshold": "1"})")),
            (StatusAndField{400, "threshold"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "threshold": 2})")),
            (StatusAndField{422, "threshold"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "budget": -1})")),
            (StatusAndField{422, "budget"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "words": 1})")),
            (StatusAndField{400, "words"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "passes": null})")),
            (StatusAndField{400, "passes"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "model": 1})")),
            (StatusAndField{400, "model"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "question": 1})")),
            (StatusAndField{400, "question"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "choices": "b"})")),
            (StatusAndField{400, "choices"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "threshold": 1, "budget": 1})")),
            (StatusAndField{400, "budget"}));
  EXPECT_EQ(status_and_field(server.read(R"({"text": "a", "question": "b"})")),
            (StatusAndField{422, ""}));
}

TEST(Router, ABudgetForAnUncalibratedModelIsRejectedWithoutItsPath) {
  TestServer server;
  const Response response = server.read(R"({"text": "a", "budget": 0.5})");
  EXPECT_EQ(status_and_field(response), (StatusAndField{422, "budget"}));
  EXPECT_THAT(std::string(response.content()), HasSubstr("first was never calibrated"));
  EXPECT_THAT(std::string(response.content()), Not(HasSubstr("/secret/")));
}

TEST(Router, LimitsTheSizeOfTextsAndQuestions) {
  TestServer server;
  server.options.limits.text_bytes = 3;
  server.options.limits.question_bytes = 2;
  EXPECT_EQ(server.read(R"({"text": "abc"})").status, 200);
  EXPECT_EQ(status_and_field(server.read(R"({"text": "abcd"})")), (StatusAndField{422, "text"}));
  EXPECT_EQ(
      status_and_field(server.read(R"({"text": "abc", "question": "b", "choices": ["c", "d"]})")),
      (StatusAndField{422, "question"}));
}

TEST(Router, AcceptsAnEscapedNulCharacter) {
  TestServer server;
  EXPECT_EQ(server.read(R"({"text": "a\u0000b"})").status, 200);
  EXPECT_EQ(server.read(std::string("{\"text\": \"a\0b\"}", 15)).status, 400);
}

TEST(Router, RejectsResponsesBeyondTheMemoryForThem) {
  TestServer server;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "abc ";
  const std::string large = R"({"words": true, "passes": true, "texts": [")" + text + "\"]}";
  const std::string larger = R"({"words": true, "texts": [")" + text + text + text + text + "\"]}";
  const std::size_t size = server.batch(large).body.size();
  ASSERT_GT(size, ResponseBudget::kUncountedBytes);
  server.options.limits.pending_bytes = size + size / 2;
  {
    const Response first = server.batch(large);
    EXPECT_EQ(first.status, 200);
    EXPECT_GT(server.metrics.pending_response_bytes.load(), size * 9 / 10);
    EXPECT_EQ(status_and_field(server.batch(large)), (StatusAndField{503, ""}));
    EXPECT_EQ(status_and_field(server.read(R"({"passes": true, "text": ")" + text + "\"}")),
              (StatusAndField{503, ""}));
    EXPECT_EQ(server.batch(R"({"texts": ["abc"]})").status, 200);
  }
  EXPECT_EQ(server.metrics.pending_response_bytes.load(), 0U);
  EXPECT_EQ(server.batch(large).status, 200);
  const Response too_large = server.batch(larger);
  EXPECT_EQ(status_and_field(too_large), (StatusAndField{422, ""}));
  EXPECT_THAT(std::string(too_large.content()), HasSubstr("omit words and passes"));
  EXPECT_EQ(server.metrics.pending_response_bytes.load(), 0U);
}

TEST(Router, RejectsOtherContentTypes) {
  TestServer server;
  for (const std::string_view type : {"", "text/plain", "application/jsonx"}) {
    const Response response = server.execute({"POST", "/v1/read", {{"content-type", type}}, "{}"});
    EXPECT_EQ(response.status, 415) << type;
  }
  for (const std::string_view type : {"application/json; charset=utf-8", "APPLICATION/JSON",
                                      "Application/Json\t;charset=utf-8"}) {
    const Response accepted =
        server.execute({"POST", "/v1/read", {{"content-type", type}}, R"({"text":"a"})"});
    EXPECT_EQ(accepted.status, 200) << type;
  }
}

TEST(Router, ListsModelsWithoutTheirPaths) {
  TestServer server;
  const Response response = server.request("GET", "/v1/models");
  const Json json = parse_body(response);
  EXPECT_EQ(json["default"], "first");
  ASSERT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][1]["name"], "second");
  EXPECT_EQ(json["models"][1]["directions"], 2);
  EXPECT_EQ(json["models"][0]["calibrated"], false);
  EXPECT_TRUE(json["models"][0]["budgets"].is_null());
  EXPECT_THAT(std::string(response.content()), Not(HasSubstr("/secret/")));
}

TEST(Router, DistinguishesNotFoundFromMethodNotAllowed) {
  TestServer server;
  for (const std::string_view path : {"/v1", "/v1/read/", "/index.html", "/../etc/passwd", "*"}) {
    EXPECT_EQ(server.request("GET", path).status, 404) << path;
  }
  const Response wrong = server.request("GET", "/v1/read");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(find_header(wrong, "Allow"), "POST");
  EXPECT_EQ(find_header(server.request("DELETE", "/healthz"), "Allow"), "GET, HEAD");
  EXPECT_EQ(server.request("OPTIONS", "/v1/read").status, 405);
  EXPECT_EQ(server.request("HEAD", "/healthz").status, 200);
}

TEST(Router, ServesPageFilesWithAContentSecurityPolicy) {
  TestServer server;
  ASSERT_FALSE(page_files().empty());
  for (const PageFile& file : page_files()) {
    const Response response = server.request("GET", file.path);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.content(), file.bytes);
    EXPECT_EQ(response.content_type, file.type);
    EXPECT_THAT(find_header(response, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
    const Response again = server.request("GET", file.path, "", {{"if-none-match", file.etag}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.content(), "");
  }
  EXPECT_EQ(server.request("GET", "/").content_type, "text/html; charset=utf-8");
}

TEST(Router, RequiresTheTokenExceptForPageAndHealth) {
  TestServer server;
  server.options.token = "0123456789abcdef";
  for (const std::string_view path : {"/v1/models", "/metrics", "/v1/openapi.json"}) {
    const Response unauthorized = server.request("GET", path);
    EXPECT_EQ(unauthorized.status, 401) << path;
    EXPECT_EQ(find_header(unauthorized, "WWW-Authenticate"), "Bearer");
    for (const std::string_view credentials :
         {"Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer ", "0123456789abcdef",
          "Basic 0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef"}) {
      EXPECT_EQ(server.request("GET", path, "", {{"authorization", credentials}}).status, 401)
          << credentials;
    }
    EXPECT_EQ(
        server.request("GET", path, "", {{"authorization", "Bearer 0123456789abcdef"}}).status,
        200);
  }
  EXPECT_EQ(server.read(R"({"text": "a"})").status, 401);
  EXPECT_EQ(server.request("GET", "/").status, 200);
  EXPECT_EQ(server.request("GET", "/healthz").status, 200);
}

TEST(Router, TheNameOfTheAuthenticationSchemeIgnoresCase) {
  TestServer server;
  server.options.token = "0123456789abcdef";
  for (const std::string_view credentials :
       {"bearer 0123456789abcdef", "BEARER 0123456789abcdef", "Bearer  0123456789abcdef"}) {
    EXPECT_EQ(server.request("GET", "/metrics", "", {{"authorization", credentials}}).status, 200)
        << credentials;
  }
  EXPECT_EQ(server.request("GET", "/metrics", "", {{"authorization", "bearer"}}).status, 401);
}

// A web page whose host name resolves to a loopback address must not reach the server.
TEST(Router, AnswersOnlyForAllowedHosts) {
  TestServer server;
  const auto status = [&](std::string_view path, std::optional<std::string_view> host) {
    return server.execute({"GET", path, {}, {}, host}).status;
  };
  EXPECT_EQ(status("/", "rebound.example.org"), 200);
  server.options.hosts = HostFilter({"example.org"});
  for (const std::string_view path : {"/", "/healthz", "/metrics", "/v1/read", "/nothing"}) {
    EXPECT_EQ(status(path, "rebound.example.org:8080"), 421) << path;
    EXPECT_NE(status(path, "localhost:8080"), 421) << path;
    EXPECT_NE(status(path, "example.org"), 421) << path;
    EXPECT_NE(status(path, std::nullopt), 421) << path;
  }
  const Request request{"POST", "/v1/read", {}, "{}", "rebound.example.org"};
  EXPECT_FALSE(Router(server.options, server.models, server.metrics).route(request).needs_worker());
  const Response misdirected = server.execute(request);
  EXPECT_EQ(status_and_field(misdirected), (StatusAndField{421, ""}));
  EXPECT_THAT(std::string(misdirected.content()), HasSubstr("rebound.example.org"));
}

TEST(Router, OnlyAuthorizedReadsNeedAWorker) {
  TestServer server;
  const auto needs_worker = [&](std::string_view method, std::string_view path) {
    return Router(server.options, server.models, server.metrics)
        .route({method, path, {}, {}})
        .needs_worker();
  };
  EXPECT_TRUE(needs_worker("POST", "/v1/read"));
  EXPECT_TRUE(needs_worker("POST", "/v1/read/batch"));
  EXPECT_FALSE(needs_worker("GET", "/v1/read"));
  EXPECT_FALSE(needs_worker("POST", "/v1/readx"));
  EXPECT_FALSE(needs_worker("GET", "/healthz"));
  server.options.token = "0123456789abcdef";
  EXPECT_FALSE(needs_worker("POST", "/v1/read"));
}

TEST(Router, SendsCorsHeadersOnlyWhenEnabled) {
  TestServer server;
  EXPECT_EQ(find_header(server.request("GET", "/healthz"), "Access-Control-Allow-Origin"), "");
  server.options.cors_origin = "https://example.org";
  EXPECT_EQ(find_header(server.request("GET", "/healthz"), "Access-Control-Allow-Origin"),
            "https://example.org");
  const Response preflight = server.request("OPTIONS", "/v1/read");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(find_header(preflight, "Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_EQ(server.request("OPTIONS", "/nothing").status, 404);
  const Response rejected =
      Router(server.options, server.models, server.metrics).reject({503, "busy"}, Route::read);
  EXPECT_EQ(find_header(rejected, "Access-Control-Allow-Origin"), "https://example.org");
}

TEST(Router, FreesBuffersAfterALongText) {
  TestServer server;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "abc ";
  const std::string body = R"({"words": false, "text": ")" + text + "\"}";
  EXPECT_EQ(server.read(body).status, 200);
  EXPECT_EQ(server.context.reading().words.capacity(), 0U);
  EXPECT_EQ(server.read(R"({"text": "abc"})").status, 200);
}

TEST(EqualInConstantTime, EqualsOrdinaryComparison) {
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

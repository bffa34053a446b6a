// Requests and texts that are read together have the responses of single requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "server/read_handlers.h"
#include "server/router.h"
#include "tests/support/sample_server.h"

namespace skim::server {
namespace {

using testing::ElementsAre;

// A response and its outcome without the times, which differ from reading to reading.
struct TimelessResponse {
  int status = 0;
  Json body;
  Outcome outcome;

  bool operator==(const TimelessResponse& other) const {
    const auto counts = [](const Outcome& each) {
      return std::tuple(each.route, each.model, each.texts, each.words, each.words_read);
    };
    return status == other.status && body == other.body && counts(outcome) == counts(other.outcome);
  }
};

void erase_times(Json& json) {
  if (json.is_object()) json.erase("microseconds");
  for (Json& each : json) {
    if (each.is_structured()) erase_times(each);
  }
}

TimelessResponse without_times(const Response& response, const Outcome& outcome) {
  Json body = parse_json(response.content(), "response").value();
  erase_times(body);
  return {response.status, std::move(body), outcome};
}

struct GroupServer {
  ServerOptions options;
  ModelRegistry models;
  Metrics metrics{{"first", "second"}};
  WorkerContext context{0};
  std::vector<std::size_t> order;  // in which the last group was answered

  explicit GroupServer(std::vector<ServedModel> served = sample_models())
      : models(std::move(served), 1) {}

  static Request make_request(std::string_view path, std::string_view body) {
    return {"POST", path, {{"content-type", "application/json"}}, body};
  }
  TimelessResponse request(std::string_view path, std::string_view body) {
    const Router router(options, models, metrics);
    const Request request = make_request(path, body);
    Outcome outcome;
    const Response response = router.execute(router.route(request), request, &context, outcome);
    return without_times(response, outcome);
  }
  TimelessResponse read(std::string_view body) { return request("/v1/read", body); }
  TimelessResponse batch(std::string_view body) { return request("/v1/read/batch", body); }

  std::vector<TimelessResponse> read_together(const std::vector<std::string>& bodies) {
    const Router router(options, models, metrics);
    std::vector<Request> requests;
    for (const std::string& body : bodies) requests.push_back(make_request("/v1/read", body));
    std::vector<const Request*> pointers;
    for (const Request& each : requests) pointers.push_back(&each);
    std::vector<TimelessResponse> answers(bodies.size());
    order.clear();
    const auto respond = [&](std::size_t i, const Router::BuildResponse& build) {
      Outcome outcome;
      const Response response = build(outcome);
      answers[i] = without_times(response, outcome);
      order.push_back(i);
    };
    router.execute_together(pointers, context, respond);
    return answers;
  }

  void expect_equal_to_single(const std::vector<std::string>& bodies) {
    const std::vector<TimelessResponse> together = read_together(bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      EXPECT_EQ(together[i], read(bodies[i])) << bodies[i] << together[i].body;
    }
  }
};

std::string make_text(std::size_t words, std::size_t seed) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += static_cast<char>('a' + (i * seed + i / 3) % 20);
    text += i % 5 == 4 ? ", " : " ";
  }
  return text;
}

std::string to_body(const std::string& text, const std::string& fields = "") {
  return R"({"text": ")" + text + "\"" + fields + "}";
}

TEST(ReadGroup, ResponsesEqualThoseOfSingleRequests) {
  GroupServer server;
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < ReadGroup::kMaxRequests; ++i) {
    bodies.push_back(to_body(make_text(i * i, i + 1), R"(, "passes": true)"));
  }
  server.expect_equal_to_single(bodies);
}

TEST(ReadGroup, ModelsPoliciesAndErrorsMayDiffer) {
  GroupServer server;
  const std::string text = make_text(50, 7);
  server.expect_equal_to_single({
      to_body(text, R"(, "threshold": 0)"),
      to_body(text, R"(, "model": "second", "threshold": 0.3)"),
      "{",
      to_body(text, R"(, "threshold": 1, "words": false)"),
      to_body(text, R"(, "threshold": 2)"),
      to_body(text, R"(, "question": "b")"),
      to_body(text, R"(, "model": "third")"),
      to_body(text, R"(, "model": "second")"),
      to_body(text, R"(, "budget": 0.5)"),
      to_body("\xFF"),
      to_body(text),
      to_body(""),
  });
}

TEST(ReadGroup, RequestsThatAreHandledAloneDoNotDelayTheOthers) {
  GroupServer server;
  const std::string second = to_body("abc", R"(, "model": "second")");  // bidirectional
  server.read_together({second, to_body("abc"), "{", to_body("bcd")});
  EXPECT_THAT(server.order, ElementsAre(1, 3, 0, 2));
}

TEST(ReadGroup, ATextThatOverflowsIsAnErrorOfItsRequest) {
  GroupServer server(overflowing_models());
  server.expect_equal_to_single({to_body("abc"), to_body("abc bcd"), to_body("")});
  EXPECT_EQ(server.read_together({to_body("abc"), to_body("abc")})[1].status, 500);
}

TEST(ReadGroup, OneResponseAtATimeTakesMemoryOfTheBudget) {
  GroupServer server;
  const std::vector<std::string> bodies(8, to_body(make_text(1000, 3), R"(, "passes": true)"));
  const std::size_t size = server.read(bodies[0]).body.dump().size();
  ASSERT_GT(size, ResponseBudget::kUncountedBytes);
  server.options.limits.pending_bytes = size * 2;
  for (const TimelessResponse& each : server.read_together(bodies)) EXPECT_EQ(each.status, 200);
  server.options.limits.pending_bytes = size / 2;
  for (const TimelessResponse& each : server.read_together(bodies)) EXPECT_EQ(each.status, 422);
  EXPECT_EQ(server.metrics.pending_response_bytes.load(), 0U);
}

TEST(ReadGroup, LimitsOfTextsHold) {
  GroupServer server;
  server.options.limits.text_bytes = 10;
  const auto answers = server.read_together({to_body("abc"), to_body(make_text(20, 3))});
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_EQ(answers[1].status, 422);
  EXPECT_EQ(answers[1].body["error"]["field"], "text");
}

TEST(ReadGroup, FreesTheMemoryOfManyLongTexts) {
  GroupServer server;
  TextGroup& texts = server.context.texts();
  const std::vector<std::string> bodies(16, to_body(make_text(4000, 3), R"(, "words": false)"));
  server.read_together(bodies);
  EXPECT_EQ(texts.size(), 0U);
  EXPECT_FALSE(texts.is_large());
  server.read_together(bodies);
  EXPECT_FALSE(texts.is_large());
  server.expect_equal_to_single({to_body("abc"), to_body("bcd")});
}

TEST(ReadGroup, OnlyShortReadsOfModelsThatGainMayJoin) {
  GroupServer server;
  const auto may_join = [&](std::string_view path, const std::string& body) {
    const Router router(server.options, server.models, server.metrics);
    const Request request = GroupServer::make_request(path, body);
    return router.may_join(router.route(request), request);
  };
  EXPECT_TRUE(may_join("/v1/read", "{}"));
  EXPECT_FALSE(may_join("/v1/read/batch", "{}"));
  EXPECT_FALSE(may_join("/healthz", "{}"));
  EXPECT_FALSE(may_join("/v1/read", std::string(TextGroup::kMaxTextBytes + 1, 'a')));
  std::vector<ServedModel> second = sample_models();
  second.erase(second.begin());
  GroupServer bidirectional(std::move(second));
  EXPECT_FALSE(bidirectional.models.reads_together());
  EXPECT_TRUE(server.models.reads_together());
}

// More texts than are read at once, with errors and long texts in between.
TEST(Batch, AnswersEqualThoseOfSingleRequests) {
  GroupServer server;
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < 150; ++i) {
    const std::size_t words = i % 40 == 17 ? 5000 : i;
    elements.push_back("\"" + make_text(words, i) + "\"");
    if (i % 50 == 3) elements.push_back("5");
  }
  std::string list;
  for (const std::string& each : elements) list += (list.empty() ? "" : ",") + each;
  for (const std::string fields : {"", R"(, "together": false)", R"(, "model": "second")"}) {
    const TimelessResponse batch =
        server.batch(R"({"passes": true, "texts": [)" + list + "]" + fields + "}");
    ASSERT_EQ(batch.body["answers"].size(), elements.size());
    const bool second = fields.find("second") != std::string::npos;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      Json single = server
                        .read(R"({"passes": true, "words": false, "text": )" + elements[i] +
                              (second ? fields : "") + "}")
                        .body;
      single.erase("model");
      EXPECT_EQ(batch.body["answers"][i], single) << i;
    }
    EXPECT_EQ(batch.outcome.texts, 150U);
  }
}

TEST(Batch, TogetherMustBeABoolean) {
  GroupServer server;
  const TimelessResponse answer = server.batch(R"({"texts": ["a"], "together": 1})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body["error"]["field"], "together");
}

TEST(Batch, ABatchBeyondTheMemoryForItLeavesNoTexts) {
  GroupServer server;
  server.options.limits.pending_bytes = ResponseBudget::kUncountedBytes + 1;
  std::string list = "\"abc\"";
  for (std::size_t i = 0; i < 60; ++i) list += ",\"" + make_text(100, i) + "\"";
  EXPECT_EQ(server.batch(R"({"words": true, "texts": [)" + list + "]}").status, 422);
  EXPECT_EQ(server.context.texts().size(), 0U);
  EXPECT_EQ(server.batch(R"({"texts": ["abc", "bcd"]})").outcome.texts, 2U);
}

}  // namespace
}  // namespace skim::server

// A router without a socket, for the tests of its routes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "server/router.h"
#include "tests/support/sample_server.h"

namespace skim::server {

// A router and a worker context, used without a socket.
struct TestServer {
  ServerOptions options;
  ModelRegistry models;
  Metrics metrics{{"first", "second"}};
  WorkerContext context{0};
  Outcome outcome;

  explicit TestServer(std::vector<ServedModel> served = sample_models())
      : models(std::move(served), 1) {}

  Response request(std::string_view method, std::string_view path, std::string_view body = {},
                   std::vector<Header> headers = {}) {
    headers.push_back({"content-type", "application/json"});
    outcome = {};
    return execute({method, path, std::move(headers), body});
  }
  Response execute(const Request& request) {
    const Router router(options, models, metrics);
    return router.execute(router.route(request), request, &context, outcome);
  }
  Response read(std::string_view body) { return request("POST", "/v1/read", body); }
  Response batch(std::string_view body) { return request("POST", "/v1/read/batch", body); }
};

inline Json parse_body(const Response& response) {
  const auto json = parse_json(response.content(), "response");
  EXPECT_TRUE(json) << response.content();
  return json ? *json : Json();
}

// The status and the field of an error response.
inline std::pair<int, std::string> status_and_field(const Response& response) {
  const Json error = parse_body(response).value("error", Json::object());
  EXPECT_EQ(error.value("status", 0), response.status);
  EXPECT_FALSE(error.value("message", std::string()).empty());
  return {response.status, error.value("field", std::string())};
}
using StatusAndField = std::pair<int, std::string>;

}  // namespace skim::server

// Parses the bodies of POST /v1/read and POST /v1/read/batch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/json.h"
#include "server/handler_context.h"
#include "server/message.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "wire/reading_json.h"

namespace skim::server {

template <class T>
using HttpResult = tl::expected<T, HttpError>;

tl::unexpected<HttpError> http_error(int status, std::string message, std::string field = {});

// The parameters that all texts of a request share.
struct ReadParams {
  std::size_t model = 0;
  Policy policy;
  ReadingFields fields;
  std::optional<double> abstain;  // below this confidence
};

struct ReadRequest {
  ReadParams params;
  Query query;
};
HttpResult<ReadRequest> parse_read(const HandlerContext& context, const Request& request);

// The elements are parsed one by one, because each may have an error of its own.
struct BatchRequest {
  ReadParams params;
  bool together = true;    // whether texts may be read together
  std::string_view field;  // that holds the elements: texts or queries
  Json elements;
};
HttpResult<BatchRequest> parse_batch(const HandlerContext& context, const Request& request);
// Moves strings out of the element. `field` is that of the batch.
HttpResult<Query> parse_element(const Limits& limits, Json& element, std::string_view field);

// Replaces the model's path in an error message by its name: clients must not see paths.
std::string hide_path(std::string message, const HandlerContext& context, std::size_t model);

}  // namespace skim::server

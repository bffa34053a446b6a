#include "server/read_handlers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "base/json.h"
#include "base/json_text.h"
#include "base/result_macros.h"
#include "wire/query_json.h"
#include "wire/reading_json.h"

namespace skim::server {
namespace {

template <class T>
using HttpResult = tl::expected<T, HttpError>;

tl::unexpected<HttpError> http_error(int status, std::string message, std::string field = {}) {
  return tl::make_unexpected(HttpError{status, std::move(message), std::move(field)});
}

HttpError to_http_error(FieldError error) {
  return {400, std::move(error.message), std::move(error.field)};
}

// The parameters that all texts of a request share.
struct ReadParams {
  std::size_t model = 0;
  Policy policy;
  ReadingFields fields;
};

using FieldNames = std::span<const std::string_view>;

// Parses the body; rejects fields that are not in `known`.
HttpResult<Json> parse_body(const Request& request, JsonParser& parser, FieldNames known) {
  const std::string_view type = request.header("content-type");
  std::string_view media_type = type.substr(0, type.find(';'));
  while (media_type.ends_with(' ')) media_type.remove_suffix(1);
  if (media_type != "application/json") {
    return http_error(415, "the body must be JSON, with Content-Type: application/json");
  }
  auto body = parser.parse(request.body, "body");
  if (!body) return http_error(400, body.error().message);
  if (!body->is_object()) return http_error(400, "the body must be a JSON object");
  for (const auto& [name, value] : body->get_ref<const Json::object_t&>()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string list;
    for (const std::string_view each : known) list.append(list.empty() ? "" : ", ").append(each);
    const std::string unknown = name.substr(0, 80);
    return http_error(400, "unknown field '" + unknown + "'; expected one of " + list, unknown);
  }
  return std::move(*body);
}

HttpResult<void> parse_bool(const Json& body, std::string_view field, bool& value) {
  const auto found = body.find(field);
  if (found == body.end()) return {};
  if (!found->is_boolean()) {
    return http_error(400, std::string(field) + " must be true or false", std::string(field));
  }
  value = found->get<bool>();
  return {};
}

// A fraction from 0 to 1; nothing when the field is missing.
HttpResult<std::optional<double>> parse_fraction(const Json& body, std::string_view field) {
  const auto found = body.find(field);
  if (found == body.end()) return std::nullopt;
  const std::string name(field);
  if (!found->is_number()) return http_error(400, name + " must be a number", name);
  const double fraction = found->get<double>();
  if (!(fraction >= 0 && fraction <= 1))
    return http_error(422, name + " must be from 0 to 1", name);
  return fraction;
}

// Replaces the model's path in an error message by its name: clients must not see paths.
std::string hide_path(std::string message, const ServedModel& served) {
  const std::string& file = served.model.name();
  if (message.starts_with(file)) message.replace(0, file.size(), served.name);
  return message;
}

// The index of the requested model.
HttpResult<std::size_t> parse_model(const ServerOptions& options, Json& body) {
  const auto found = body.find("model");
  if (found == body.end()) return 0;
  if (!found->is_string()) return http_error(400, "model must be a string", "model");
  const auto& name = found->get_ref<const std::string&>();
  const auto model = name.empty() ? std::nullopt : find_model(options.models, name);
  if (model) return *model;
  return http_error(422, "there is no model '" + name.substr(0, 80) + "'; /v1/models lists them",
                    "model");
}

HttpResult<Policy> parse_read_policy(const Json& body, const ServedModel& served) {
  SKIM_ASSIGN_OR_RETURN(const auto threshold, parse_fraction(body, "threshold"));
  SKIM_ASSIGN_OR_RETURN(const auto budget, parse_fraction(body, "budget"));
  if (threshold && budget) {
    return http_error(400, "threshold and budget cannot be given together", "budget");
  }
  Policy policy;
  if (threshold) policy.threshold = static_cast<float>(*threshold);
  if (budget) {
    const auto found = served.model.threshold_for(*budget);
    if (!found) return http_error(422, hide_path(found.error().message, served), "budget");
    policy.threshold = *found;
  }
  return policy;
}

HttpResult<ReadParams> parse_params(const ServerOptions& options, Json& body,
                                    ReadingFields fields) {
  ReadParams params;
  params.fields = fields;
  SKIM_ASSIGN_OR_RETURN(params.model, parse_model(options, body));
  SKIM_ASSIGN_OR_RETURN(params.policy, parse_read_policy(body, options.models[params.model]));
  SKIM_RETURN_IF_ERROR(parse_bool(body, "words", params.fields.words));
  SKIM_RETURN_IF_ERROR(parse_bool(body, "passes", params.fields.passes));
  return params;
}

HttpResult<void> check_lengths(const Limits& limits, const Query& query) {
  const auto too_long = [](const std::string& what, std::size_t size, std::size_t limit) {
    return what + " has " + std::to_string(size) + " bytes, the limit is " + std::to_string(limit);
  };
  if (query.text.size() > limits.text_bytes) {
    return http_error(422, too_long("text", query.text.size(), limits.text_bytes), "text");
  }
  std::size_t size = query.question.size();
  for (const std::string& choice : query.choices) size += choice.size();
  if (size <= limits.question_bytes) return {};
  return http_error(422, too_long("question with its choices", size, limits.question_bytes),
                    "question");
}

// What reading one text of a request needs.
struct ReadContext {
  const ServerOptions& options;
  const ReadParams& params;
  WorkerContext& worker;
  Outcome& outcome;
};

// Reads one text and appends the reading as JSON.
HttpResult<void> read_one(const ReadContext& context, const Query& query, std::string& out) {
  using Clock = std::chrono::steady_clock;
  const auto& [options, params, worker, outcome] = context;
  if (auto checked = check_lengths(options.limits, query); !checked) return checked;
  const ServedModel& served = options.models[params.model];
  Reading& reading = worker.reading();
  const auto start = Clock::now();
  const auto done = worker.session(params.model).read(query, params.policy, reading);
  const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  if (!done) return http_error(422, hide_path(done.error().message, served));
  append_reading(out,
                 {query.text, reading, served.model.spec(), served.name, params.policy, time,
                  query.question, query.choices},
                 params.fields);
  outcome.texts += 1;
  outcome.words += reading.words.size();
  outcome.words_read += count_words_read(reading);
  worker.shrink(query.text.size());
  return {};
}

// The elements of a batch and the field that holds them: texts or queries.
struct BatchElements {
  std::string_view field;
  Json* list = nullptr;
};

HttpResult<BatchElements> find_elements(const ServerOptions& options, Json& body) {
  BatchElements found;
  for (const std::string_view field : {"texts", "queries"}) {
    const auto list = body.find(field);
    if (list == body.end()) continue;
    const std::string name(field);
    if (found.list != nullptr) return http_error(400, "give texts or queries, not both", name);
    if (!list->is_array()) return http_error(400, name + " must be a list", name);
    found = {field, &*list};
  }
  if (found.list == nullptr) return http_error(400, "texts is missing, or queries", "texts");
  if (found.list->size() > options.limits.batch) {
    return http_error(422, "a batch has at most " + std::to_string(options.limits.batch) + " texts",
                      std::string(found.field));
  }
  return found;
}

FieldResult<Query> parse_element(Json& element, std::string_view field) {
  if (field == "queries") return parse_query(element);
  return parse_string(element, "text").map([](std::string text) {
    return Query{std::move(text), {}, {}};
  });
}

// Appends the reading of one element of a batch, or its error.
void read_element(const ReadContext& context, Json& element, std::string_view field,
                  std::string& out) {
  auto query = parse_element(element, field);
  if (!query) return append_error(out, to_http_error(std::move(query.error())));
  const auto done = read_one(context, *query, out);
  if (!done) append_error(out, done.error());
}

}  // namespace

Response handle_read(const ServerOptions& options, const Request& request, WorkerContext& context,
                     Outcome& outcome) {
  static constexpr std::array<std::string_view, 8> kFields = {
      "model", "text", "question", "choices", "threshold", "budget", "words", "passes"};
  auto body = parse_body(request, context.json_parser(), kFields);
  if (!body) return error_response(body.error());
  const auto params = parse_params(options, *body, {.model = true, .words = true});
  if (!params) return error_response(params.error());
  const auto query = parse_query(*body);
  if (!query) return error_response(to_http_error(query.error()));
  outcome.model = options.models[params->model].name;
  Response response;
  const auto done = read_one({options, *params, context, outcome}, *query, response.body);
  return done ? std::move(response) : error_response(done.error());
}

Response handle_batch(const ServerOptions& options, const Request& request, WorkerContext& context,
                      Outcome& outcome) {
  static constexpr std::array<std::string_view, 7> kFields = {
      "model", "texts", "queries", "threshold", "budget", "words", "passes"};
  auto body = parse_body(request, context.json_parser(), kFields);
  if (!body) return error_response(body.error());
  const auto params = parse_params(options, *body, {});
  if (!params) return error_response(params.error());
  const auto elements = find_elements(options, *body);
  if (!elements) return error_response(elements.error());
  outcome.model = options.models[params->model].name;
  Response response;
  std::string& out = response.body;
  out += "{\"model\":";
  append_json(out, outcome.model);
  out += ",\"answers\":[";
  for (Json& element : *elements->list) {
    if (out.back() != '[') out += ',';
    read_element({options, *params, context, outcome}, element, elements->field, out);
  }
  out += "]}";
  return response;
}

}  // namespace skim::server

#include "server/read_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/result_macros.h"
#include "server/field_syntax.h"
#include "wire/query_json.h"

namespace skim::server {
namespace {

HttpError to_http_error(FieldError error) {
  return {400, std::move(error.message), std::move(error.field)};
}

using FieldNames = std::span<const std::string_view>;

// Rejects fields that are not in `known`, so that a misspelt one is not ignored silently.
HttpResult<void> check_fields(const Json& object, FieldNames known) {
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string list;
    for (const std::string_view each : known) list.append(list.empty() ? "" : ", ").append(each);
    const std::string unknown = name.substr(0, 80);
    return http_error(400, "unknown field '" + unknown + "'; expected one of " + list, unknown);
  }
  return {};
}

HttpResult<Json> parse_body(const Request& request, JsonParser& parser, FieldNames known) {
  const std::string_view type = request.header("content-type");
  if (!equals_ignoring_case(trim(type.substr(0, type.find(';'))), "application/json")) {
    return http_error(415, "the body must be JSON, with Content-Type: application/json");
  }
  auto body = parser.parse(request.body, "body");
  if (!body) return http_error(400, body.error().message);
  if (!body->is_object()) return http_error(400, "the body must be a JSON object");
  SKIM_RETURN_IF_ERROR(check_fields(*body, known));
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

// The index of the requested model.
HttpResult<std::size_t> parse_model(const ModelRegistry& registry, Json& body) {
  const auto found = body.find("model");
  if (found == body.end()) return 0;
  if (!found->is_string()) return http_error(400, "model must be a string", "model");
  const auto& name = found->get_ref<const std::string&>();
  if (const auto model = registry.find(name)) return *model;
  return http_error(422, "there is no model '" + name.substr(0, 80) + "'; /v1/models lists them",
                    "model");
}

HttpResult<Policy> parse_read_policy(const HandlerContext& context, std::size_t model,
                                     const Json& body) {
  SKIM_ASSIGN_OR_RETURN(const auto threshold, parse_fraction(body, "threshold"));
  SKIM_ASSIGN_OR_RETURN(const auto budget, parse_fraction(body, "budget"));
  if (threshold && budget) {
    return http_error(400, "threshold and budget cannot be given together", "budget");
  }
  SKIM_ASSIGN_OR_RETURN(const auto confident, parse_fraction(body, "confident"));
  Policy policy;
  if (confident) policy.confident = static_cast<float>(*confident);
  if (confident && !context.models.model(model).streams())
    return http_error(422, "confident is for classifiers in one direction only", "confident");
  if (threshold) policy.threshold = static_cast<float>(*threshold);
  if (budget) {
    const auto found = context.models.model(model).threshold_for(*budget);
    if (!found) return http_error(422, hide_path(found.error().message, context, model), "budget");
    policy.threshold = *found;
  }
  return policy;
}

HttpResult<std::optional<double>> parse_abstain(const HandlerContext& context, std::size_t model,
                                                const Json& body) {
  SKIM_ASSIGN_OR_RETURN(const auto abstain, parse_fraction(body, "abstain"));
  if (abstain && !context.models.model(model).spec().is_softmax_classifier())
    return http_error(422, "abstain is for classifiers only", "abstain");
  return abstain;
}

HttpResult<ReadParams> parse_params(const HandlerContext& context, Json& body,
                                    ReadingFields fields) {
  ReadParams params;
  params.fields = fields;
  SKIM_ASSIGN_OR_RETURN(params.model, parse_model(context.registry, body));
  SKIM_ASSIGN_OR_RETURN(params.policy, parse_read_policy(context, params.model, body));
  SKIM_ASSIGN_OR_RETURN(params.abstain, parse_abstain(context, params.model, body));
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

}  // namespace

tl::unexpected<HttpError> http_error(int status, std::string message, std::string field) {
  return tl::make_unexpected(HttpError{status, std::move(message), std::move(field)});
}

std::string hide_path(std::string message, const HandlerContext& context, std::size_t model) {
  const std::string& file = context.models.model(model).name();
  if (message.starts_with(file)) message.replace(0, file.size(), context.registry.names()[model]);
  return message;
}

HttpResult<ReadRequest> parse_read(const HandlerContext& context, const Request& request) {
  static constexpr std::array<std::string_view, 10> kFields = {
      "model",  "text",  "question", "choices", "threshold",
      "budget", "words", "passes",   "abstain", "confident"};
  SKIM_ASSIGN_OR_RETURN(Json body, parse_body(request, context.worker.json_parser(), kFields));
  ReadRequest parsed;
  SKIM_ASSIGN_OR_RETURN(parsed.params, parse_params(context, body, {.model = true, .words = true}));
  auto query = parse_query(body);
  if (!query) return tl::make_unexpected(to_http_error(std::move(query.error())));
  SKIM_RETURN_IF_ERROR(check_lengths(context.options.limits, *query));
  parsed.query = std::move(*query);
  return parsed;
}

HttpResult<BatchRequest> parse_batch(const HandlerContext& context, const Request& request) {
  static constexpr std::array<std::string_view, 10> kFields = {
      "model", "texts",  "queries", "threshold", "budget",
      "words", "passes", "abstain", "confident", "together"};
  SKIM_ASSIGN_OR_RETURN(Json body, parse_body(request, context.worker.json_parser(), kFields));
  BatchRequest parsed;
  SKIM_ASSIGN_OR_RETURN(parsed.params, parse_params(context, body, {}));
  SKIM_RETURN_IF_ERROR(parse_bool(body, "together", parsed.together));
  SKIM_ASSIGN_OR_RETURN(const BatchElements elements, find_elements(context.options, body));
  parsed.field = elements.field;
  parsed.elements = std::move(*elements.list);
  return parsed;
}

HttpResult<Query> parse_element(const Limits& limits, Json& element, std::string_view field) {
  static constexpr std::array<std::string_view, 3> kFields = {"text", "question", "choices"};
  Query query;
  if (field == "queries") {
    if (element.is_object()) SKIM_RETURN_IF_ERROR(check_fields(element, kFields));
    auto whole = parse_query(element);
    if (!whole) return tl::make_unexpected(to_http_error(std::move(whole.error())));
    query = std::move(*whole);
  } else {
    auto text = parse_string(element, "text");
    if (!text) return tl::make_unexpected(to_http_error(std::move(text.error())));
    query.text = std::move(*text);
  }
  SKIM_RETURN_IF_ERROR(check_lengths(limits, query));
  return query;
}

}  // namespace skim::server

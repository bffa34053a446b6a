#include "server/read_routes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "base/json.h"
#include "base/json_text.h"
#include "server/routes.h"
#include "wire/query_json.h"
#include "wire/reading_json.h"

namespace skim::server {
namespace {

template <class T>
using Taken = tl::expected<T, Refusal>;

tl::unexpected<Refusal> refuse(int status, std::string message, std::string field = {}) {
  return tl::make_unexpected(Refusal{status, std::move(message), std::move(field)});
}

Refusal refusal_of(FieldFault fault) {
  return {400, std::move(fault.message), std::move(fault.field)};
}

// How to read: the same for all texts of a batch.
struct Manner {
  std::size_t model = 0;
  Policy policy;
  Shown shown;
};

using Fields = std::span<const std::string_view>;

Taken<Json> body_of(const Request& request, Fields fields) {
  const std::string_view type = request.header("content-type");
  std::string_view bare = type.substr(0, type.find(';'));
  while (bare.ends_with(' ')) bare.remove_suffix(1);
  if (bare != "application/json") {
    return refuse(415, "the body must be JSON, with Content-Type: application/json");
  }
  auto body = parse_json(request.body, "body");
  if (!body) return refuse(400, body.error().message);
  if (!body->is_object()) return refuse(400, "the body must be a JSON object");
  for (const auto& [name, value] : body->get_ref<const Json::object_t&>()) {
    if (std::find(fields.begin(), fields.end(), name) != fields.end()) continue;
    std::string known;
    for (const std::string_view each : fields) known.append(known.empty() ? "" : ", ").append(each);
    const std::string shown = name.substr(0, 80);
    return refuse(400, "there is no field '" + shown + "'; known are " + known, shown);
  }
  return std::move(*body);
}

Taken<void> take_bool(const Json& body, std::string_view field, bool& into) {
  const auto found = body.find(field);
  if (found == body.end()) return {};
  if (!found->is_boolean()) {
    return refuse(400, std::string(field) + " must be true or false", std::string(field));
  }
  into = found->get<bool>();
  return {};
}

// A share from 0 to 1, if it is there.
Taken<std::optional<double>> share_in(const Json& body, std::string_view field) {
  const auto found = body.find(field);
  if (found == body.end()) return std::nullopt;
  const std::string name(field);
  if (!found->is_number()) return refuse(400, name + " must be a number", name);
  const double share = found->get<double>();
  if (!(share >= 0 && share <= 1)) return refuse(422, name + " must be from 0 to 1", name);
  return share;
}

// Messages of the library name the model's file, which is no business of clients.
std::string with_served_name(std::string message, const Served& served) {
  const std::string& file = served.model.name();
  if (message.starts_with(file)) message.replace(0, file.size(), served.name);
  return message;
}

Taken<std::size_t> model_in(const Site& site, Json& body) {
  const auto found = body.find("model");
  if (found == body.end()) return 0;
  if (!found->is_string()) return refuse(400, "model must be a string", "model");
  const auto& name = found->get_ref<const std::string&>();
  const auto model = name.empty() ? std::nullopt : find_model(site.models, name);
  if (model) return *model;
  return refuse(422, "there is no model '" + name.substr(0, 80) + "'; /v1/models lists them",
                "model");
}

Taken<Policy> policy_in(const Json& body, const Served& served) {
  const auto threshold = share_in(body, "threshold");
  if (!threshold) return tl::make_unexpected(threshold.error());
  const auto budget = share_in(body, "budget");
  if (!budget) return tl::make_unexpected(budget.error());
  if (*threshold && *budget) {
    return refuse(400, "threshold and budget cannot be given together", "budget");
  }
  Policy policy;
  if (*threshold) policy.read_above = static_cast<float>(**threshold);
  if (*budget) {
    const auto found = served.model.threshold_for(**budget);
    if (!found) return refuse(422, with_served_name(found.error().message, served), "budget");
    policy.read_above = *found;
  }
  return policy;
}

Taken<Manner> manner_in(const Site& site, Json& body, Shown shown) {
  Manner manner;
  manner.shown = shown;
  const auto model = model_in(site, body);
  if (!model) return tl::make_unexpected(model.error());
  manner.model = *model;
  const auto policy = policy_in(body, site.models[manner.model]);
  if (!policy) return tl::make_unexpected(policy.error());
  manner.policy = *policy;
  const auto words = take_bool(body, "words", manner.shown.words);
  if (!words) return tl::make_unexpected(words.error());
  const auto passes = take_bool(body, "passes", manner.shown.passes);
  if (!passes) return tl::make_unexpected(passes.error());
  return manner;
}

Taken<void> check_lengths(const Limits& limits, const Query& query) {
  const auto too_long = [](const std::string& what, std::size_t has, std::size_t may) {
    return what + " has " + std::to_string(has) + " bytes, the limit is " + std::to_string(may);
  };
  if (query.text.size() > limits.text_bytes) {
    return refuse(422, too_long("text", query.text.size(), limits.text_bytes), "text");
  }
  std::size_t asked = query.question.size();
  for (const std::string& choice : query.choices) asked += choice.size();
  if (asked <= limits.question_bytes) return {};
  return refuse(422, too_long("question with its choices", asked, limits.question_bytes),
                "question");
}

// Reads one text and appends the answer.
Taken<void> read_one(const Site& site, const Manner& manner, const Query& query, Desk& desk,
                     std::string& out, Outcome& outcome) {
  using Clock = std::chrono::steady_clock;
  if (auto fine = check_lengths(site.limits, query); !fine) return fine;
  const Served& served = site.models[manner.model];
  Reading& reading = desk.reading();
  const auto start = Clock::now();
  const auto asked = desk.session(manner.model).ask(query, manner.policy, reading);
  const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  if (!asked) return refuse(422, with_served_name(asked.error().message, served));
  append_reading(out,
                 {query.text, reading, served.model.spec(), served.name, manner.policy, time,
                  query.question, query.choices},
                 manner.shown);
  outcome.texts += 1;
  outcome.words += reading.words.size();
  outcome.words_read += words_read(reading);
  desk.tidy_up(query.text.size());
  return {};
}

// The elements of a batch, whichever field they are in.
struct Elements {
  std::string_view field;
  Json* list = nullptr;
};

Taken<Elements> elements_in(const Site& site, Json& body) {
  Elements found;
  for (const std::string_view field : {"texts", "queries"}) {
    const auto list = body.find(field);
    if (list == body.end()) continue;
    const std::string name(field);
    if (found.list != nullptr) return refuse(400, "give texts or queries, not both", name);
    if (!list->is_array()) return refuse(400, name + " must be a list", name);
    found = {field, &*list};
  }
  if (found.list == nullptr) return refuse(400, "texts is missing, or queries", "texts");
  if (found.list->size() > site.limits.batch) {
    return refuse(422, "a batch has at most " + std::to_string(site.limits.batch) + " texts",
                  std::string(found.field));
  }
  return found;
}

FieldResult<Query> element_query(Json& element, std::string_view field) {
  if (field == "queries") return take_query(element);
  return take_string(element, "text").map([](std::string text) {
    return Query{std::move(text), {}, {}};
  });
}

void read_element(const Site& site, const Manner& manner, Json& element, std::string_view field,
                  Desk& desk, std::string& out, Outcome& outcome) {
  auto query = element_query(element, field);
  if (!query) return append_error(out, refusal_of(std::move(query.error())));
  const auto done = read_one(site, manner, *query, desk, out, outcome);
  if (!done) append_error(out, done.error());
}

}  // namespace

Response answer_read(const Site& site, const Request& request, Desk& desk, Outcome& outcome) {
  static constexpr std::array<std::string_view, 8> kFields = {
      "model", "text", "question", "choices", "threshold", "budget", "words", "passes"};
  auto body = body_of(request, kFields);
  if (!body) return refused(body.error());
  const auto manner = manner_in(site, *body, {.model = true, .words = true});
  if (!manner) return refused(manner.error());
  const auto query = take_query(*body);
  if (!query) return refused(refusal_of(query.error()));
  outcome.model = site.models[manner->model].name;
  Response response;
  const auto done = read_one(site, *manner, *query, desk, response.body, outcome);
  return done ? std::move(response) : refused(done.error());
}

Response answer_batch(const Site& site, const Request& request, Desk& desk, Outcome& outcome) {
  static constexpr std::array<std::string_view, 7> kFields = {
      "model", "texts", "queries", "threshold", "budget", "words", "passes"};
  auto body = body_of(request, kFields);
  if (!body) return refused(body.error());
  const auto manner = manner_in(site, *body, {});
  if (!manner) return refused(manner.error());
  const auto elements = elements_in(site, *body);
  if (!elements) return refused(elements.error());
  outcome.model = site.models[manner->model].name;
  Response response;
  std::string& out = response.body;
  out += "{\"model\":";
  append_json(out, outcome.model);
  out += ",\"answers\":[";
  for (Json& element : *elements->list) {
    if (out.back() != '[') out += ',';
    read_element(site, *manner, element, elements->field, desk, out, outcome);
  }
  out += "]}";
  return response;
}

}  // namespace skim::server

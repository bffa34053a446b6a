#include "server/read_handlers.h"

#include <cassert>
#include <chrono>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "base/result_macros.h"

namespace skim::server {
namespace {

// A reading with its time in microseconds. Borrows everything.
struct TimedReading {
  const Query& query;
  const Reading& reading;
  double microseconds = 0;
};

// Appends a reading as JSON.
void append_answer(const HandlerContext& context, const ReadParams& params,
                   const TimedReading& timed, Outcome& outcome, std::string& out) {
  const auto& [query, reading, microseconds] = timed;
  append_reading(out,
                 {query.text,
                  reading,
                  context.models.model(params.model).spec(),
                  context.registry.names()[params.model],
                  params.policy,
                  microseconds,
                  query.question,
                  query.choices,
                  {},
                  params.abstain},
                 params.fields);
  outcome.texts += 1;
  outcome.words += reading.words.size();
  outcome.words_read += count_words_read(reading);
}

// Reads one text by itself and appends the reading as JSON.
HttpResult<void> read_one(const HandlerContext& context, const ReadParams& params,
                          const Query& query, Outcome& outcome, std::string& out) {
  using SteadyClock = std::chrono::steady_clock;
  Reading& reading = context.worker.reading();
  Session& session = context.worker.session(context.models, params.model);
  const auto start = SteadyClock::now();
  const auto done = session.read(query, params.policy, reading);
  const double time = std::chrono::duration<double, std::micro>(SteadyClock::now() - start).count();
  if (!done) {
    // The request is at fault, or the model.
    const int status = done.error().fault == Fault::argument ? 422 : 500;
    return http_error(status, hide_path(done.error().message, context, params.model));
  }
  append_answer(context, params, {query, reading, time}, outcome, out);
  context.worker.shrink(context.models, query.text.size());
  return {};
}

// Reserves the memory of the response as far as it is built. The capacity that a large string has
// beyond its size takes no memory, because nobody has touched those pages.
HttpResult<void> reserve_memory(const HandlerContext& context, Response& response) {
  switch (context.budget.extend(response.reservation, response.body.size())) {
    case ResponseBudget::Status::reserved:
      return {};
    case ResponseBudget::Status::exhausted:
      return http_error(503,
                        "responses that clients have not received yet take too much memory; "
                        "try again later");
    case ResponseBudget::Status::too_large:
      break;
  }
  return http_error(422, "the response takes more than " + std::to_string(context.budget.limit()) +
                             " bytes; send less text at a time, or omit words and passes");
}

// Builds the response to a batch. Consecutive short texts are read together.
class BatchResponse {
 public:
  BatchResponse(const HandlerContext& context, const BatchRequest& request, Outcome& outcome)
      : context_(context),
        params_(request.params),
        outcome_(outcome),
        together_(request.together && context.models.model(params_.model).reads_together()) {
    response_.body += "{\"model\":";
    append_json(response_.body, outcome.model);
    response_.body += ",\"answers\":[";
  }
  BatchResponse(const BatchResponse&) = delete;
  BatchResponse& operator=(const BatchResponse&) = delete;
  ~BatchResponse() { context_.worker.clear_texts(context_.models); }

  // Fails when the response takes too much memory.
  HttpResult<void> add(HttpResult<Query> query) {
    if (query && together_ && query->text.size() <= TextGroup::kMaxTextBytes) {
      texts().add(std::move(*query), params_.policy);
      return texts().size() < TextGroup::kMaxTexts ? HttpResult<void>() : read_texts();
    }
    SKIM_RETURN_IF_ERROR(read_texts());  // before it in the response
    if (query) return append_one(*query);
    separate();
    append_error(response_.body, query.error());
    return reserve_memory(context_, response_);
  }

  HttpResult<Response> finish() {
    SKIM_RETURN_IF_ERROR(read_texts());
    response_.body += "]}";
    return std::move(response_);
  }

 private:
  TextGroup& texts() { return context_.worker.texts(); }

  // Reads the texts that have been collected and appends their readings.
  HttpResult<void> read_texts() {
    if (texts().size() > 1) texts().read(context_.worker.session(context_.models, params_.model));
    for (std::size_t i = 0; i < texts().size(); ++i) SKIM_RETURN_IF_ERROR(append_text(i));
    texts().clear();
    return {};
  }

  HttpResult<void> append_text(std::size_t index) {
    const Query& query = texts().query(index);
    const Reading* reading = texts().reading(index);
    // A text that failed among others is read again by itself, for the error of a single request.
    if (reading == nullptr) return append_one(query);
    separate();
    append_answer(context_, params_, {query, *reading, texts().microseconds(index)}, outcome_,
                  response_.body);
    return reserve_memory(context_, response_);
  }

  HttpResult<void> append_one(const Query& query) {
    separate();
    const auto done = read_one(context_, params_, query, outcome_, response_.body);
    if (!done) append_error(response_.body, done.error());
    return reserve_memory(context_, response_);
  }

  void separate() {
    if (response_.body.back() != '[') response_.body += ',';
  }

  const HandlerContext& context_;
  const ReadParams& params_;
  Outcome& outcome_;
  bool together_;
  Response response_;
};

HttpResult<Response> read_batch(const HandlerContext& context, BatchRequest& request,
                                Outcome& outcome) {
  BatchResponse response(context, request, outcome);
  for (Json& element : request.elements) {
    SKIM_RETURN_IF_ERROR(
        response.add(parse_element(context.options.limits, element, request.field)));
  }
  return response.finish();
}

}  // namespace

Response handle_read(const HandlerContext& context, const Request& request, Outcome& outcome) {
  const auto parsed = parse_read(context, request);
  if (!parsed) return error_response(parsed.error());
  outcome.model = context.registry.names()[parsed->params.model];
  Response response;
  auto done = read_one(context, parsed->params, parsed->query, outcome, response.body);
  if (done) done = reserve_memory(context, response);
  return done ? std::move(response) : error_response(done.error());
}

Response handle_batch(const HandlerContext& context, const Request& request, Outcome& outcome) {
  auto parsed = parse_batch(context, request);
  if (!parsed) return error_response(parsed.error());
  outcome.model = context.registry.names()[parsed->params.model];
  auto response = read_batch(context, *parsed, outcome);
  return response ? std::move(*response) : error_response(response.error());
}

ReadGroup::ReadGroup(const HandlerContext& context,
                     std::span<const Request* const> requests) noexcept
    : context_(context), requests_(requests) {
  assert(requests.size() <= kMaxRequests);
  try {
    parse(requests);
    read();
  } catch (...) {
    // Without memory for all requests at once, `respond` handles them one by one.
  }
}

void ReadGroup::parse(std::span<const Request* const> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto parsed = parse_read(context_, *requests[i]);
    if (!parsed || !context_.models.model(parsed->params.model).reads_together()) continue;
    if (parsed->query.text.size() > TextGroup::kMaxTextBytes) continue;
    members_[i] = Member{std::move(*parsed)};
  }
}

// Reads the texts of one model after those of another.
void ReadGroup::read() {
  TextGroup& texts = context_.worker.texts();
  for (std::size_t model = 0; model < context_.models.size(); ++model) {
    const std::size_t before = texts.size();
    for (std::optional<Member>& each : members_) {
      if (!each || each->parsed.params.model != model) continue;
      each->text = texts.add(std::move(each->parsed.query), each->parsed.params.policy);
    }
    if (texts.size() > before) texts.read(context_.worker.session(context_.models, model));
  }
}

const Reading* ReadGroup::reading(std::size_t index) const {
  const std::optional<Member>& member = members_[index];
  return member && member->text ? context_.worker.texts().reading(*member->text) : nullptr;
}

Response ReadGroup::respond(std::size_t index, Outcome& outcome) const {
  const Reading* read = reading(index);
  if (read == nullptr) return handle_read(context_, *requests_[index], outcome);
  const Member& member = *members_[index];
  const ReadParams& params = member.parsed.params;
  const TextGroup& texts = context_.worker.texts();
  outcome.model = context_.registry.names()[params.model];
  Response response;
  append_answer(context_, params,
                {texts.query(*member.text), *read, texts.microseconds(*member.text)}, outcome,
                response.body);
  auto done = reserve_memory(context_, response);
  return done ? std::move(response) : error_response(done.error());
}

}  // namespace skim::server

#include "skim/session.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/result_macros.h"
#include "nets/net.h"
#include "runtime/checks.h"
#include "runtime/model_impl.h"
#include "runtime/reading_result.h"
#include "runtime/session_access.h"
#include "runtime/text_gatherer.h"
#include "runtime/word_composer.h"
#include "text/vocab.h"

namespace skim {

struct Session::Memory {
  explicit Memory(Model loaded)
      : model(std::move(loaded)),
        composer(WordComposer::create(model_impl(model).resources->file)) {}

  Model model;
  std::optional<WordComposer> composer;  // of models with subwords
  NetMemory net_memory;
  std::vector<WordId> ids, question;
  std::vector<std::vector<WordId>> choices;
  std::vector<TokenSpan> choice_words;

  // Streaming inference has its own memory, so that read() does not interfere with it.
  NetMemory stream_memory;
  std::vector<TokenSpan> pushed_words;
  Policy policy;
  bool streaming = false;
  bool settled = false;  // policy.confident was reached

  const NetMemory* latest = nullptr;  // of the latest read or answer

  std::unique_ptr<TextGatherer> gatherer;  // null when the model reads one text at a time
  bool gathering_prepared = false;
};

namespace {

// The messages fit the small-string buffer, so they need no memory.
void read_one(Session& session, const QueryTask& task) noexcept {
  try {
    if (!*task.reading) *task.reading = Reading{};
    if (Result<void> done = session.read(*task.query, task.policy, **task.reading, task.detail);
        !done)
      *task.reading = tl::make_unexpected(std::move(done.error()));
  } catch (const std::bad_alloc&) {
    *task.reading = fail(Fault::io, "out of memory");
  } catch (...) {
    *task.reading = fail(Fault::io, "text too long");
  }
}

// The queries of one call of Session::read.
struct QuerySpans final : QuerySource {
  std::span<const Query> queries;
  std::span<const Policy> policies;
  std::span<Result<Reading>> readings;
  std::size_t taken = 0;

  bool next(QueryTask& task) noexcept override {
    if (taken == queries.size()) return false;
    task = {&queries[taken], policies[taken], &readings[taken]};
    ++taken;
    return true;
  }
};

}  // namespace

void SessionAccess::prepare_gathering(Session& session) {
  Session::Memory& memory = *session.memory_;
  if (!memory.gathering_prepared) memory.gatherer = TextGatherer::create(memory.model);
  memory.gathering_prepared = true;
}

void SessionAccess::read(Session& session, QuerySource& source,
                         std::size_t max_in_flight) noexcept {
  // A single text is read faster by itself.
  if (session.memory_->gatherer != nullptr && max_in_flight > 1)
    return session.memory_->gatherer->read(source, max_in_flight);
  for (QueryTask task; source.next(task);) read_one(session, task);
}

Session::Session(Model model) : memory_(std::make_unique<Memory>(std::move(model))) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const Model& Session::model() const { return memory_->model; }

Result<Reading> Session::read(const Query& query, Policy policy) {
  Reading reading;
  SKIM_RETURN_IF_ERROR(read(query, policy, reading));
  return reading;
}

// Inference: validation, tokenization, the forward pass of the net, and the conversion of its
// scores to a Reading, which is validated as well.
Result<void> Session::read(const Query& query, Policy policy, Reading& into, Detail detail) {
  const ModelImpl& impl = model_impl(memory_->model);
  SKIM_RETURN_IF_ERROR(check(policy));
  SKIM_RETURN_IF_ERROR(check_confident(policy, impl));
  SKIM_RETURN_IF_ERROR(check(query, impl.spec));
  const auto tokenize = [&](const std::string& text, std::vector<TokenSpan>& words,
                            std::vector<WordId>& ids) {
    encode(text, impl.spec.tokenizer, impl.resources->vocab, words, ids);
    if (memory_->composer)
      memory_->composer->compose(text, words, ids, memory_->net_memory.composed);
  };
  if (memory_->composer) memory_->composer->start_text(memory_->net_memory.composed);
  tokenize(query.text, into.words, memory_->ids);
  tokenize(query.question, into.question_words, memory_->question);
  if (impl.spec.net != NetKind::classifier && memory_->question.empty()) return missing_question();
  memory_->choices.resize(query.choices.size());
  for (std::size_t i = 0; i < query.choices.size(); ++i)
    tokenize(query.choices[i], memory_->choice_words, memory_->choices[i]);
  const EncodedQuery encoded{memory_->ids,
                             memory_->question,
                             memory_->choices,
                             {query.text, into.words},
                             {query.question, into.question_words}};
  const BestSpan span =
      impl.net->forward(encoded, policy, memory_->net_memory, {into.logits, into.scores});
  memory_->latest = &memory_->net_memory;
  into.labels.clear();
  switch (impl.spec.net) {
    case NetKind::classifier:
      set_classification(impl, into);
      break;
    case NetKind::cloze:
      set_best_choice(query.choices, into);
      break;
    case NetKind::span:
    case NetKind::bidaf:
      set_span(query.text, span, into);
      break;
  }
  if (detail == Detail::full)
    set_trace(impl, memory_->net_memory, into);
  else
    clear_details(into);
  return check_finite(memory_->model.name(), into.logits, memory_->net_memory.passes);
}

void Session::read(std::span<const Query> queries, std::span<const Policy> policies,
                   std::span<Result<Reading>> readings) {
  assert(queries.size() == policies.size() && queries.size() == readings.size());
  if (queries.size() > 1) SessionAccess::prepare_gathering(*this);
  QuerySpans source;
  source.queries = queries;
  source.policies = policies;
  source.readings = readings;
  SessionAccess::read(*this, source, queries.size());
}

Result<void> Session::begin(Policy policy) {
  const ModelImpl& impl = model_impl(memory_->model);
  if (impl.spec.net != NetKind::classifier) {
    return fail(Fault::argument, memory_->model.name() +
                                     " answers questions about a whole text; call read instead of "
                                     "begin and push");
  }
  if (impl.net->streaming_net() == nullptr) {
    return fail(Fault::argument, memory_->model.name() +
                                     " is bidirectional, so it needs the whole text at once; call "
                                     "read instead of begin and push");
  }
  SKIM_RETURN_IF_ERROR(check(policy));
  SKIM_RETURN_IF_ERROR(check_confident(policy, impl));
  impl.net->streaming_net()->start(memory_->stream_memory);
  memory_->pushed_words.clear();
  memory_->policy = policy;
  memory_->streaming = true;
  memory_->settled = false;
  return {};
}

Result<Step> Session::push(std::string_view word) {
  if (!memory_->streaming) return fail(Fault::argument, "call begin before push");
  if (word.empty()) return fail(Fault::argument, "the pushed word is empty");
  const ModelImpl& impl = model_impl(memory_->model);
  std::vector<TokenSpan>& words = memory_->pushed_words;
  const std::size_t begin = words.empty() ? 0 : words.back().end + 1;
  words.push_back({begin, begin + word.size()});
  if (memory_->settled) return Step{0, 0};
  const StreamingNet& net = *impl.net->streaming_net();
  WordId id = impl.resources->vocab.find(word);
  if (id == kUnknown && memory_->composer) {
    memory_->composer->start_text(memory_->stream_memory.composed);
    id = memory_->composer->compose(word, memory_->stream_memory.composed);
  }
  net.read({&id, 1}, memory_->policy, memory_->stream_memory);
  memory_->settled = net.check_confidence(memory_->policy, memory_->stream_memory);
  const Step& step = memory_->stream_memory.passes.front().steps.back();
  SKIM_RETURN_IF_ERROR(check_finite(memory_->model.name(), step));
  return step;
}

bool Session::settled() const { return memory_->settled; }

Result<Reading> Session::answer() {
  if (!memory_->streaming) return fail(Fault::argument, "call begin before answer");
  Reading reading;
  reading.words = memory_->pushed_words;
  const ModelImpl& impl = model_impl(memory_->model);
  impl.net->streaming_net()->predict(memory_->stream_memory, {reading.logits, reading.scores});
  memory_->latest = &memory_->stream_memory;
  set_classification(impl, reading);
  set_trace(impl, memory_->stream_memory, reading);
  SKIM_RETURN_IF_ERROR(
      check_finite(memory_->model.name(), reading.logits, memory_->stream_memory.passes));
  return reading;
}

Result<std::vector<float>> Session::final_state() const {
  if (memory_->latest == nullptr)
    return fail(Fault::argument, "there is no final state yet; call read or answer first");
  const ModelImpl& impl = model_impl(memory_->model);
  const auto directions = static_cast<std::size_t>(impl.spec.directions());
  const auto hidden = static_cast<std::size_t>(impl.spec.reader.hidden_size);
  std::vector<float> state;
  for (std::size_t i = impl.passes.size() - directions; i < impl.passes.size(); ++i) {
    const float* pass = memory_->latest->passes[i].state.hidden.data();
    state.insert(state.end(), pass, pass + hidden);
  }
  return state;
}

}  // namespace skim

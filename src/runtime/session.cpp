#include "skim/session.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result_macros.h"
#include "nets/net.h"
#include "runtime/checks.h"
#include "runtime/model_impl.h"
#include "text/vocab.h"

namespace skim {
namespace {

// Sets the answer to the label or choice with the highest score.
void set_best_choice(std::span<const std::string> choices, Reading& into) {
  const auto best = std::max_element(into.scores.begin(), into.scores.end());
  into.answer.index = static_cast<int>(best - into.scores.begin());
  into.answer.score = *best;
  into.answer.text = choices[static_cast<std::size_t>(into.answer.index)];
  into.answer.begin = into.answer.end = 0;
}

// Sets the answer to a span of the text; empty for a text without words.
void set_span(const std::string& text, const BestSpan& span, Reading& into) {
  into.answer.index = -1;
  into.answer.score = 0;
  into.answer.begin = into.answer.end = 0;
  if (span.last >= span.first) {
    into.answer.begin = into.words[span.first].begin;
    into.answer.end = into.words[span.last].end;
    into.answer.score = into.scores[span.first] * into.scores[into.words.size() + span.last];
  }
  into.answer.text.assign(text, into.answer.begin, into.answer.end - into.answer.begin);
}

// Copies trace and costs to `into`, reusing its memory.
void set_trace(const ModelImpl& impl, const NetMemory& memory, Reading& into) {
  into.trace.resize(impl.passes.size());
  into.costs = {};
  for (std::size_t i = 0; i < impl.passes.size(); ++i) {
    const PassSpec& info = impl.passes[i];
    const std::vector<Step>& steps = memory.passes[i].steps;
    into.trace[i].reader = info.name;
    into.trace[i].hidden_size = info.reader.hidden_size;
    into.trace[i].over_question = info.over_question;
    into.trace[i].steps.assign(steps.begin(), steps.end());
    into.costs +=
        pass_cost(info.reader, steps, info.reads_embeddings ? Inputs::folded : Inputs::rows);
  }
}

}  // namespace

struct Session::Memory {
  explicit Memory(Model loaded) : model(std::move(loaded)) {}

  Model model;
  NetMemory net_memory;
  std::vector<WordId> ids, question;
  std::vector<std::vector<WordId>> choices;
  std::vector<TokenSpan> choice_words;

  // Streaming inference has its own memory, so that read() does not interfere with it.
  NetMemory stream_memory;
  std::vector<TokenSpan> pushed_words;
  Policy policy;
  bool streaming = false;

  const NetMemory* latest = nullptr;  // of the latest read or answer
};

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
// scores to a Reading.
Result<void> Session::read(const Query& query, Policy policy, Reading& into) {
  const ModelImpl& impl = model_impl(memory_->model);
  SKIM_RETURN_IF_ERROR(check(policy));
  SKIM_RETURN_IF_ERROR(check(query, impl.spec));
  const auto tokenize = [&](const std::string& text, std::vector<TokenSpan>& words,
                            std::vector<WordId>& ids) {
    encode(text, impl.spec.tokenizer, impl.resources->vocab, words, ids);
  };
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
  switch (impl.spec.net) {
    case NetKind::classifier:
      set_best_choice(impl.spec.labels, into);
      break;
    case NetKind::cloze:
      set_best_choice(query.choices, into);
      break;
    case NetKind::span:
    case NetKind::bidaf:
      set_span(query.text, span, into);
      break;
  }
  set_trace(impl, memory_->net_memory, into);
  return {};
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
  impl.net->streaming_net()->start(memory_->stream_memory);
  memory_->pushed_words.clear();
  memory_->policy = policy;
  memory_->streaming = true;
  return {};
}

Result<Step> Session::push(std::string_view word) {
  if (!memory_->streaming) return fail(Fault::argument, "call begin before push");
  if (word.empty()) return fail(Fault::argument, "the pushed word is empty");
  const ModelImpl& impl = model_impl(memory_->model);
  const WordId id = impl.resources->vocab.find(word);
  impl.net->streaming_net()->read({&id, 1}, memory_->policy, memory_->stream_memory);
  std::vector<TokenSpan>& words = memory_->pushed_words;
  const std::size_t begin = words.empty() ? 0 : words.back().end + 1;
  words.push_back({begin, begin + word.size()});
  return memory_->stream_memory.passes.front().steps.back();
}

Result<Reading> Session::answer() {
  if (!memory_->streaming) return fail(Fault::argument, "call begin before answer");
  Reading reading;
  reading.words = memory_->pushed_words;
  const ModelImpl& impl = model_impl(memory_->model);
  impl.net->streaming_net()->predict(memory_->stream_memory, {reading.logits, reading.scores});
  memory_->latest = &memory_->stream_memory;
  set_best_choice(impl.spec.labels, reading);
  set_trace(impl, memory_->stream_memory, reading);
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

#include "skim/session.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "nets/net.h"
#include "runtime/checks.h"
#include "runtime/contents.h"
#include "text/vocab.h"

namespace skim {
namespace {

// The answer from what the net has read, into memory that `into` already has.
void answer_from(const ModelContents& contents, NetMemory& memory, Reading& into) {
  into.scores.resize(contents.spec.labels.size());
  contents.net->scores(memory, into.scores);
  const auto best = std::max_element(into.scores.begin(), into.scores.end());
  into.answer.index = static_cast<int>(best - into.scores.begin());
  into.answer.score = *best;
  into.answer.text = contents.spec.labels[static_cast<std::size_t>(into.answer.index)];

  into.trace.resize(contents.passes.size());
  into.costs = {};
  for (std::size_t i = 0; i < contents.passes.size(); ++i) {
    const PassInfo& info = contents.passes[i];
    const std::vector<Step>& steps = memory.passes[i].steps;
    into.trace[i].reader = info.name;
    into.trace[i].hidden = info.spec.hidden;
    into.trace[i].steps.assign(steps.begin(), steps.end());
    into.costs += pass_cost(info.spec, steps, info.inputs);
  }
}

}  // namespace

struct Session::Memory {
  explicit Memory(Model used) : model(std::move(used)) {}

  Model model;
  NetMemory asked;
  std::vector<WordId> ids;

  // Words that arrive over time have their own memory, so that questions in between do no harm.
  NetMemory pushed;
  std::vector<Word> pushed_words;
  Policy policy;
  bool begun = false;
};

Session::Session(Model model) : memory_(std::make_unique<Memory>(std::move(model))) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const Model& Session::model() const { return memory_->model; }

Result<Reading> Session::ask(const Query& query, Policy policy) {
  Reading reading;
  return ask(query, policy, reading).map([&] { return std::move(reading); });
}

Result<void> Session::ask(const Query& query, Policy policy, Reading& into) {
  const ModelContents& contents = memory_->model.contents();
  if (Result<void> fine = check(policy); !fine) return fine;
  if (Result<void> fine = check(query, contents.spec); !fine) return fine;
  encode(query.text, contents.spec.tokenizer, contents.open->vocab, into.words, memory_->ids);
  contents.net->start(memory_->asked);
  contents.net->read(memory_->ids, policy, memory_->asked);
  answer_from(contents, memory_->asked, into);
  return {};
}

Result<void> Session::begin(Policy policy) {
  const ModelContents& contents = memory_->model.contents();
  if (contents.spec.bidirectional) {
    return fail(Fault::argument, memory_->model.name() +
                                     " also reads backwards, from the last word on, so it needs "
                                     "the whole text at once; ask it instead of pushing words");
  }
  if (Result<void> fine = check(policy); !fine) return fine;
  contents.net->start(memory_->pushed);
  memory_->pushed_words.clear();
  memory_->policy = policy;
  memory_->begun = true;
  return {};
}

Result<Step> Session::push(std::string_view word) {
  if (!memory_->begun) return fail(Fault::argument, "call begin before pushing words");
  if (word.empty()) return fail(Fault::argument, "an empty word was pushed");
  const ModelContents& contents = memory_->model.contents();
  const WordId id = contents.open->vocab.find(word);
  contents.net->read({&id, 1}, memory_->policy, memory_->pushed);
  std::vector<Word>& words = memory_->pushed_words;
  const std::size_t begin = words.empty() ? 0 : words.back().end + 1;
  words.push_back({begin, begin + word.size()});
  return memory_->pushed.passes.front().steps.back();
}

Result<Reading> Session::answer() {
  if (!memory_->begun) return fail(Fault::argument, "call begin before asking for the answer");
  Reading reading;
  reading.words = memory_->pushed_words;
  answer_from(memory_->model.contents(), memory_->pushed, reading);
  return reading;
}

}  // namespace skim

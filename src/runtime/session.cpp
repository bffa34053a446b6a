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

// The best of labels or choices.
void choose(std::span<const std::string> among, Reading& into) {
  const auto best = std::max_element(into.scores.begin(), into.scores.end());
  into.answer.index = static_cast<int>(best - into.scores.begin());
  into.answer.score = *best;
  into.answer.text = among[static_cast<std::size_t>(into.answer.index)];
  into.answer.begin = into.answer.end = 0;
}

// The piece of the text; none in a text without words.
void cut_out(const std::string& text, Piece piece, Reading& into) {
  into.answer.index = -1;
  into.answer.score = 0;
  into.answer.begin = into.answer.end = 0;
  if (piece.last >= piece.first) {
    into.answer.begin = into.words[piece.first].begin;
    into.answer.end = into.words[piece.last].end;
    into.answer.score = into.scores[piece.first] * into.scores[into.words.size() + piece.last];
  }
  into.answer.text.assign(text, into.answer.begin, into.answer.end - into.answer.begin);
}

// What was read and what it cost, into memory that `into` already has.
void trace_from(const ModelContents& contents, const NetMemory& memory, Reading& into) {
  into.trace.resize(contents.passes.size());
  into.costs = {};
  for (std::size_t i = 0; i < contents.passes.size(); ++i) {
    const PassSpec& info = contents.passes[i];
    const std::vector<Step>& steps = memory.passes[i].steps;
    into.trace[i].reader = info.name;
    into.trace[i].hidden = info.reader.hidden;
    into.trace[i].of_question = info.of_question;
    into.trace[i].steps.assign(steps.begin(), steps.end());
    into.costs += pass_cost(info.reader, steps, info.of_words ? Inputs::folded : Inputs::rows);
  }
}

}  // namespace

struct Session::Memory {
  explicit Memory(Model used) : model(std::move(used)) {}

  Model model;
  NetMemory asked;
  std::vector<WordId> ids, question;
  std::vector<std::vector<WordId>> choices;
  std::vector<Word> choice_words;

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
  const auto ids_of = [&](const std::string& text, std::vector<Word>& words,
                          std::vector<WordId>& ids) {
    encode(text, contents.spec.tokenizer, contents.open->vocab, words, ids);
  };
  ids_of(query.text, into.words, memory_->ids);
  ids_of(query.question, into.question_words, memory_->question);
  if (contents.spec.net != NetKind::classifier && memory_->question.empty()) return no_question();
  memory_->choices.resize(query.choices.size());
  for (std::size_t i = 0; i < query.choices.size(); ++i)
    ids_of(query.choices[i], memory_->choice_words, memory_->choices[i]);
  const Asked asked{memory_->ids,
                    memory_->question,
                    memory_->choices,
                    {query.text, into.words},
                    {query.question, into.question_words}};
  const Piece piece = contents.net->answer(asked, policy, memory_->asked, into.scores);
  switch (contents.spec.net) {
    case NetKind::classifier:
      choose(contents.spec.labels, into);
      break;
    case NetKind::cloze:
      choose(query.choices, into);
      break;
    case NetKind::span:
    case NetKind::bidaf:
      cut_out(query.text, piece, into);
      break;
  }
  trace_from(contents, memory_->asked, into);
  return {};
}

Result<void> Session::begin(Policy policy) {
  const ModelContents& contents = memory_->model.contents();
  if (contents.spec.net != NetKind::classifier) {
    return fail(Fault::argument, memory_->model.name() +
                                     " answers questions about a whole text; ask it instead of "
                                     "pushing words");
  }
  if (contents.net->listener() == nullptr) {
    return fail(Fault::argument, memory_->model.name() +
                                     " also reads backwards, from the last word on, so it needs "
                                     "the whole text at once; ask it instead of pushing words");
  }
  if (Result<void> fine = check(policy); !fine) return fine;
  contents.net->listener()->start(memory_->pushed);
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
  contents.net->listener()->read({&id, 1}, memory_->policy, memory_->pushed);
  std::vector<Word>& words = memory_->pushed_words;
  const std::size_t begin = words.empty() ? 0 : words.back().end + 1;
  words.push_back({begin, begin + word.size()});
  return memory_->pushed.passes.front().steps.back();
}

Result<Reading> Session::answer() {
  if (!memory_->begun) return fail(Fault::argument, "call begin before asking for the answer");
  Reading reading;
  reading.words = memory_->pushed_words;
  const ModelContents& contents = memory_->model.contents();
  contents.net->listener()->scores(memory_->pushed, reading.scores);
  choose(contents.spec.labels, reading);
  trace_from(contents, memory_->pushed, reading);
  return reading;
}

}  // namespace skim

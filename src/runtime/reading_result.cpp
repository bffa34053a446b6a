#include "runtime/reading_result.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace skim {

namespace {

// Sets the answer to the number that a regression model predicts.
void set_number(Reading& into) {
  char text[32];
  into.answer = Answer{std::move(into.answer.text)};
  into.answer.value = into.scores.front();
  const auto written = std::to_chars(text, text + sizeof text, into.answer.value);
  into.answer.text.assign(text, written.ptr);
}

}  // namespace

void set_classification(const ModelImpl& impl, Reading& into) {
  into.labels.clear();
  if (impl.spec.output == OutputActivation::linear) return set_number(into);
  set_best_choice(impl.spec.labels, into);
  for (std::size_t i = 0; i < impl.label_thresholds.size(); ++i) {
    if (into.scores[i] > impl.label_thresholds[i]) into.labels.push_back(static_cast<int>(i));
  }
}

void set_best_choice(std::span<const std::string> choices, Reading& into) {
  const auto best = std::max_element(into.scores.begin(), into.scores.end());
  into.answer.index = static_cast<int>(best - into.scores.begin());
  into.answer.score = *best;
  into.answer.text = choices[static_cast<std::size_t>(into.answer.index)];
  into.answer.begin = into.answer.end = 0;
  into.answer.value = 0;
}

void set_span(const std::string& text, const BestSpan& span, Reading& into) {
  into.answer.index = -1;
  into.answer.score = 0;
  into.answer.begin = into.answer.end = 0;
  into.answer.value = 0;
  if (span.last >= span.first) {
    into.answer.begin = into.words[span.first].begin;
    into.answer.end = into.words[span.last].end;
    into.answer.score = into.scores[span.first] * into.scores[into.words.size() + span.last];
  }
  into.answer.text.assign(text, into.answer.begin, into.answer.end - into.answer.begin);
}

void clear_details(Reading& into) {
  into.words.clear();
  into.question_words.clear();
  into.trace.clear();
  into.costs = {};
}

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
    const Inputs inputs = info.reads_embeddings ? Inputs::folded : Inputs::rows;
    into.costs += pass_cost(info.reader, steps, inputs);
    if (!info.over_question && steps.size() < into.words.size())
      into.costs += unseen_cost(info.reader, into.words.size() - steps.size(), inputs);
  }
}

}  // namespace skim

#include "wire/reading_json.h"

#include <algorithm>
#include <vector>

#include "base/json_text.h"

namespace skim {
namespace {

// Appends `,"name":` or, at the start of an object, `"name":`.
void append_name(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  out.append(1, '"').append(name).append("\":");
}

template <class T>
void append_field(std::string& out, std::string_view name, const T& value) {
  append_name(out, name);
  append_json(out, value);
}

void append_field(std::string& out, std::string_view name, float value) {
  append_field(out, name, static_cast<double>(value));
}

// Appends a JSON array; `append_element` appends one element.
template <class List, class AppendElement>
void append_list(std::string& out, const List& list, AppendElement append_element) {
  out += '[';
  for (const auto& each : list) {
    append_element(each);
    out += ',';
  }
  if (out.back() == ',') out.pop_back();
  out += ']';
}

void append_step(std::string& out, const Step& step) {
  append_field(out, "width", static_cast<int>(step.width));
  append_field(out, "p_read", step.p_read);
}

// The steps of the first pass from index `from` on.
std::span<const Step> first_steps(const Reading& reading, std::size_t from) {
  if (reading.trace.empty()) return {};
  const std::vector<Step>& steps = reading.trace.front().steps;
  return std::span(steps).subspan(std::min(from, steps.size()));
}

// Appends the words with their steps; words beyond the last step have none.
void append_words(std::string& out, std::string_view text, const std::vector<TokenSpan>& words,
                  std::span<const Step> steps) {
  std::size_t at = 0;
  append_list(out, words, [&](const TokenSpan& word) {
    out += '{';
    append_field(out, "text", text.substr(word.begin, word.end - word.begin));
    append_field(out, "begin", std::uint64_t{word.begin});
    append_field(out, "end", std::uint64_t{word.end});
    if (at < steps.size()) append_step(out, steps[at++]);
    out += '}';
  });
}

void append_answer(std::string& out, const ReadingView& view) {
  const Answer& answer = view.reading.answer;
  out += '{';
  append_field(out, "text", std::string_view(answer.text));
  if (view.spec.output == OutputActivation::linear) {
    append_field(out, "value", answer.value);
    out += '}';
    return;
  }
  append_field(out, "index", answer.index);
  append_field(out, "score", answer.score);
  if (view.spec.is_extractive()) {
    append_field(out, "begin", std::uint64_t{answer.begin});
    append_field(out, "end", std::uint64_t{answer.end});
  }
  out += '}';
}

// The labels of the text by name, of a multi-label model.
void append_labels(std::string& out, const ReadingView& view) {
  append_list(out, view.reading.labels, [&](int label) {
    append_json(out, std::string_view(view.spec.labels[static_cast<std::size_t>(label)]));
  });
}

// One score per label or choice.
void append_scores(std::string& out, const ReadingView& view) {
  const bool is_classifier = view.spec.net == NetKind::classifier;
  const std::span<const std::string> names = is_classifier ? view.spec.labels : view.choices;
  std::size_t at = 0;
  append_list(out, view.reading.scores, [&](float score) {
    out += '{';
    append_field(out, is_classifier ? "label" : "choice", std::string_view(names[at++]));
    append_field(out, "score", score);
    out += '}';
  });
}

void append_passes(std::string& out, const Trace& trace) {
  append_list(out, trace, [&](const Pass& pass) {
    out += '{';
    append_field(out, "reader", std::string_view(pass.reader));
    append_field(out, "hidden_size", pass.hidden_size);
    append_name(out, "steps");
    append_list(out, pass.steps, [&](const Step& step) {
      out += '{';
      append_step(out, step);
      out += '}';
    });
    if (pass.over_question) append_field(out, "over", std::string_view("question"));
    out += '}';
  });
}

void append_statistics(std::string& out, const ReadingView& view) {
  const Costs& costs = view.reading.costs;
  append_field(out, "skim_rate", skim_rate(view.reading.trace));
  if (view.policy.confident) append_field(out, "unseen_share", unseen_share(view.reading));
  append_name(out, "flop_reduction");
  out += '{';
  append_field(out, "paper", costs.paper.reduction());
  append_field(out, "counted", costs.counted.reduction());
  append_field(out, "executed", costs.executed.reduction());
  out += '}';
  append_name(out, "threshold");
  if (view.policy.rule == Policy::Rule::threshold) {
    append_json(out, static_cast<double>(view.policy.threshold));
  } else {
    out += "null";
  }
  append_field(out, "microseconds", view.microseconds);
  if (view.warm_microseconds) append_field(out, "warm_microseconds", *view.warm_microseconds);
}

void append_all_words(std::string& out, const ReadingView& view) {
  const Reading& reading = view.reading;
  append_name(out, "words");
  append_words(out, view.text, reading.words, first_steps(reading, 0));
  if (reading.question_words.empty()) return;
  append_name(out, "question_words");
  append_words(out, view.question, reading.question_words,
               first_steps(reading, reading.words.size()));
}

}  // namespace

double unseen_share(const Reading& reading) {
  if (reading.words.empty()) return 0;
  return static_cast<double>(reading.unseen_words()) / static_cast<double>(reading.words.size());
}

bool is_abstained(const ReadingView& view) {
  return view.abstain && static_cast<double>(view.reading.answer.score) < *view.abstain;
}

void append_reading(std::string& out, const ReadingView& view, ReadingFields fields) {
  out += '{';
  if (fields.model) append_field(out, "model", view.model);
  append_name(out, "answer");
  append_answer(out, view);
  if (view.abstain) {
    append_name(out, "abstained");
    out += is_abstained(view) ? "true" : "false";
  }
  if (view.spec.output == OutputActivation::sigmoid) {
    append_name(out, "labels");
    append_labels(out, view);
  }
  if (!view.spec.is_extractive() && view.spec.output != OutputActivation::linear) {
    append_name(out, "scores");
    append_scores(out, view);
  }
  if (fields.words) append_all_words(out, view);
  if (fields.passes) {
    append_name(out, "passes");
    append_passes(out, view.reading.trace);
  }
  append_statistics(out, view);
  out += '}';
}

std::string label_list(const Reading& reading, const ModelSpec& spec) {
  std::string list;
  for (const int label : reading.labels)
    list += (list.empty() ? "" : ",") + spec.labels[static_cast<std::size_t>(label)];
  return list;
}

std::size_t count_words_read(const Reading& reading) {
  if (reading.trace.empty()) return 0;
  const Pass& pass = reading.trace.front();
  const auto of_text =
      std::span(pass.steps).first(std::min(pass.steps.size(), reading.words.size()));
  return static_cast<std::size_t>(
      std::count_if(of_text.begin(), of_text.end(),
                    [&pass](const Step& step) { return step.width >= pass.hidden_size; }));
}

}  // namespace skim

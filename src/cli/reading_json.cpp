#include <algorithm>

#include "cli/reading_view.h"
#include "eval/report.h"

namespace skim::cli {
namespace {

double tidied(float value) { return tidy(static_cast<double>(value)); }

// The steps of the first pass, from the given one on; none when it ended before.
std::span<const Step> first_steps(const Reading& reading, std::size_t from) {
  if (reading.trace.empty()) return {};
  const std::vector<Step>& steps = reading.trace.front().steps;
  return std::span(steps).subspan(std::min(from, steps.size()));
}

// With what was made of each, where it was read.
Json words_json(std::string_view text, std::span<const Word> words, std::span<const Step> steps) {
  Json list = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [begin, end] = words[i];
    Json word = {{"text", text.substr(begin, end - begin)}, {"begin", begin}, {"end", end}};
    if (i < steps.size())
      word.update({{"width", steps[i].width}, {"p_read", tidied(steps[i].p_read)}});
    list.push_back(std::move(word));
  }
  return list;
}

// One a label or choice.
Json scores_json(const ReadingView& view) {
  const bool labels = view.spec.net == NetKind::classifier;
  const std::span<const std::string> among = labels ? view.spec.labels : view.choices;
  Json scores = Json::array();
  for (std::size_t i = 0; i < view.reading.scores.size(); ++i) {
    scores.push_back(
        {{labels ? "label" : "choice", among[i]}, {"score", tidied(view.reading.scores[i])}});
  }
  return scores;
}

Json passes_json(const Reading& reading) {
  Json passes = Json::array();
  for (const Pass& pass : reading.trace) {
    Json steps = Json::array();
    for (const Step& step : pass.steps) {
      steps.push_back({{"width", step.width}, {"p_read", tidied(step.p_read)}});
    }
    passes.push_back(
        {{"reader", pass.reader}, {"hidden", pass.hidden}, {"steps", std::move(steps)}});
    if (pass.of_question) passes.back()["over"] = "question";
  }
  return passes;
}

}  // namespace

Json reading_json(const ReadingView& view, Detail detail) {
  const Reading& reading = view.reading;
  Json json = {{"answer",
                {{"text", reading.answer.text},
                 {"index", reading.answer.index},
                 {"score", tidied(reading.answer.score)}}}};
  if (view.spec.finds_pieces()) {
    json["answer"]["begin"] = reading.answer.begin;
    json["answer"]["end"] = reading.answer.end;
  } else {
    json["scores"] = scores_json(view);
  }
  if (detail == Detail::words) {
    json["words"] = words_json(view.text, reading.words, first_steps(reading, 0));
    if (!reading.question_words.empty()) {
      json["question_words"] = words_json(view.question, reading.question_words,
                                          first_steps(reading, reading.words.size()));
    }
    json["passes"] = passes_json(reading);
  }
  json["skim_rate"] = tidy(skim_rate(reading.trace));
  json["flop_reduction"] = flop_reduction_json(reading.costs);
  json["threshold"] = threshold_json(view.policy);
  json["microseconds"] = tidy(view.microseconds);
  return json;
}

}  // namespace skim::cli

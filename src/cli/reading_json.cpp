#include "cli/reading_view.h"
#include "eval/report.h"

namespace skim::cli {
namespace {

double tidied(float value) { return tidy(static_cast<double>(value)); }

Json words_json(const ReadingView& view) {
  Json words = Json::array();
  const Reading& reading = view.reading;
  for (std::size_t i = 0; i < reading.words.size(); ++i) {
    const auto [begin, end] = reading.words[i];
    const Step step = reading.trace.empty() ? Step{} : reading.trace.front().steps[i];
    words.push_back({{"text", view.text.substr(begin, end - begin)},
                     {"begin", begin},
                     {"end", end},
                     {"width", step.width},
                     {"p_read", tidied(step.p_read)}});
  }
  return words;
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
  }
  return passes;
}

}  // namespace

Json reading_json(const ReadingView& view, Detail detail) {
  const Reading& reading = view.reading;
  Json scores = Json::array();
  for (std::size_t i = 0; i < reading.scores.size(); ++i) {
    scores.push_back({{"label", view.spec.labels[i]}, {"score", tidied(reading.scores[i])}});
  }
  Json json = {{"answer",
                {{"text", reading.answer.text},
                 {"index", reading.answer.index},
                 {"score", tidied(reading.answer.score)}}},
               {"scores", std::move(scores)}};
  if (detail == Detail::words) {
    json["words"] = words_json(view);
    json["passes"] = passes_json(reading);
  }
  json["skim_rate"] = tidy(skim_rate(reading.trace));
  json["flop_reduction"] = flop_reduction_json(reading.costs);
  json["threshold"] = threshold_json(view.policy);
  json["microseconds"] = tidy(view.microseconds);
  return json;
}

}  // namespace skim::cli

#include "eval/tally.h"

#include <algorithm>
#include <string>

#include "spec/cost.h"
#include "tasks/answer_score.h"
#include "tasks/metrics.h"

namespace skim {
namespace {

// Queries per batch: few enough for steady progress, enough to keep all threads busy.
constexpr std::size_t kBatchSize = 256;

void add(const Reading& reading, Tally& sums) {
  if (reading.answer.index >= 0) {
    sums.answers.push_back(reading.answer.index);
  } else {
    sums.spans.push_back(reading.answer.text);
  }
  sums.words += reading.words.size();
  sums.passes.resize(reading.trace.size());
  for (std::size_t i = 0; i < reading.trace.size(); ++i) {
    const Pass& pass = reading.trace[i];
    const auto skimmed = static_cast<std::size_t>(
        std::count_if(pass.steps.begin(), pass.steps.end(),
                      [&pass](const Step& step) { return step.width < pass.hidden_size; }));
    sums.steps += pass.steps.size();
    sums.skimmed += skimmed;
    sums.passes[i].reader = pass.reader;
    sums.passes[i].steps += pass.steps.size();
    sums.passes[i].skimmed += skimmed;
  }
  sums.costs += reading.costs;
}

}  // namespace

Metrics Tally::metrics(const TestSet& set) const {
  if (set.gold.empty()) return {accuracy(set.truth, answers), {}};
  Metrics metrics{0, 0.0};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const AnswerScore score = score_answer(spans[i], set.gold[i]);
    metrics.accuracy += score.exact / static_cast<double>(spans.size());
    *metrics.f1 += score.f1 / static_cast<double>(spans.size());
  }
  return metrics;
}

double PassRate::skim_rate() const {
  return steps == 0 ? 0 : static_cast<double>(skimmed) / static_cast<double>(steps);
}

double Tally::skim_rate() const { return PassRate{{}, steps, skimmed}.skim_rate(); }

double Tally::work() const {
  return costs.counted.dense_flops > 0 ? costs.counted.flops / costs.counted.dense_flops : 1;
}

Result<Tally> tally(Batch& batch, std::span<const Query> queries, Policy policy,
                    const Progress& progress, const ReadingCallback& on_reading) {
  Tally sums;
  sums.answers.reserve(queries.size());
  std::vector<Result<Reading>> readings(std::min(kBatchSize, queries.size()));
  for (std::size_t begin = 0; begin < queries.size(); begin += kBatchSize) {
    const std::size_t count = std::min(kBatchSize, queries.size() - begin);
    batch.read(queries.subspan(begin, count), policy, std::span(readings).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (!readings[i]) {
        return fail(readings[i].error().fault, "example " + std::to_string(begin + i + 1) + ": " +
                                                   readings[i].error().message);
      }
      add(*readings[i], sums);
      if (on_reading) on_reading(*readings[i]);
    }
    report_progress(progress,
                    static_cast<double>(begin + count) / static_cast<double>(queries.size()));
  }
  return sums;
}

}  // namespace skim

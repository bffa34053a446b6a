#include "eval/tally.h"

#include <algorithm>
#include <string>

#include "spec/cost.h"
#include "tasks/answer_score.h"
#include "tasks/metrics.h"

namespace skim {
namespace {

// At the end of a batch fewer and fewer texts are in flight, so a batch should hold many times as
// many texts as are read at once; few enough for steady progress and bounded memory.
constexpr std::size_t kMinBatchSize = 256;
constexpr std::size_t kMaxBatchSizePerThread = 512;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20U;

// Number of queries in the next batch: beyond kMinBatchSize only as long as their texts are short.
std::size_t batch_size(std::span<const Query> queries, int threads) {
  const std::size_t most =
      std::min(queries.size(),
               std::max(kMinBatchSize, kMaxBatchSizePerThread * static_cast<std::size_t>(threads)));
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < most && (count < kMinBatchSize || bytes < kBatchBytes);)
    bytes += queries[count++].text.size();
  return count;
}

void add(const Reading& reading, Tally& sums) {
  if (reading.answer.index >= 0) {
    sums.answers.push_back(reading.answer.index);
  } else {
    sums.spans.push_back(reading.answer.text);
  }
  sums.words += reading.words.size();
  sums.unseen += reading.unseen_words();
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
  Metrics metrics;
  if (set.gold.empty()) {
    metrics.accuracy = accuracy(set.truth, answers);
    return metrics;
  }
  metrics.f1 = 0;
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

double Tally::unseen_share() const {
  return words == 0 ? 0 : static_cast<double>(unseen) / static_cast<double>(words);
}

double Tally::work() const {
  return costs.counted.dense_flops > 0 ? costs.counted.flops / costs.counted.dense_flops : 1;
}

Result<Tally> tally(Batch& batch, std::span<const Query> queries, Policy policy,
                    const Progress& progress, const ReadingCallback& on_reading) {
  Tally sums;
  sums.answers.reserve(queries.size());
  std::vector<Result<Reading>> readings;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < queries.size(); begin += count) {
    count = batch_size(queries.subspan(begin), batch.threads());
    if (readings.size() < count) readings.resize(count);
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

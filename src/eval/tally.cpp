#include "eval/tally.h"

#include <algorithm>
#include <string>

#include "spec/cost.h"
#include "tasks/answer_score.h"
#include "tasks/metrics.h"

namespace skim {
namespace {

// Small enough for steady progress and little memory, large enough to keep all threads busy.
constexpr std::size_t kBlock = 256;

void add(const Reading& reading, Tally& sums) {
  if (reading.answer.index >= 0) {
    sums.answers.push_back(reading.answer.index);
  } else {
    sums.pieces.push_back(reading.answer.text);
  }
  sums.words += reading.words.size();
  sums.passes.resize(reading.trace.size());
  for (std::size_t i = 0; i < reading.trace.size(); ++i) {
    const Pass& pass = reading.trace[i];
    const auto skimmed = static_cast<std::size_t>(
        std::count_if(pass.steps.begin(), pass.steps.end(),
                      [&pass](const Step& step) { return step.width < pass.hidden; }));
    sums.steps += pass.steps.size();
    sums.skimmed += skimmed;
    sums.passes[i].reader = pass.reader;
    sums.passes[i].steps += pass.steps.size();
    sums.passes[i].skimmed += skimmed;
  }
  sums.costs += reading.costs;
}

}  // namespace

Marks Tally::marks(const TestSet& set) const {
  if (set.gold.empty()) return {accuracy(set.truth, answers), {}};
  Marks marks{0, 0.0};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const AnswerScore score = score_answer(pieces[i], set.gold[i]);
    marks.accuracy += score.exact / static_cast<double>(pieces.size());
    *marks.f1 += score.f1 / static_cast<double>(pieces.size());
  }
  return marks;
}

double PassRate::skim_rate() const {
  return steps == 0 ? 0 : static_cast<double>(skimmed) / static_cast<double>(steps);
}

double Tally::skim_rate() const { return PassRate{{}, steps, skimmed}.skim_rate(); }

double Tally::work() const {
  return costs.counted.full_flops > 0 ? costs.counted.flops / costs.counted.full_flops : 1;
}

Result<Tally> tally(Batch& batch, std::span<const Query> queries, Policy policy,
                    const Progress& progress, const LookAtReading& look) {
  Tally sums;
  sums.answers.reserve(queries.size());
  std::vector<Result<Reading>> readings(std::min(kBlock, queries.size()));
  for (std::size_t begin = 0; begin < queries.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, queries.size() - begin);
    batch.ask(queries.subspan(begin, count), policy, std::span(readings).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (!readings[i]) {
        return fail(readings[i].error().fault, "example " + std::to_string(begin + i + 1) + ": " +
                                                   readings[i].error().message);
      }
      add(*readings[i], sums);
      if (look) look(*readings[i]);
    }
    tell(progress, static_cast<double>(begin + count) / static_cast<double>(queries.size()));
  }
  return sums;
}

}  // namespace skim

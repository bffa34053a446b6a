#include "eval/timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/result_macros.h"
#include "eval/test_set.h"
#include "eval/tokenization.h"
#include "skim/session.h"
#include "tasks/metrics.h"

namespace skim {
namespace {

using Clock = std::chrono::steady_clock;

// Texts per turn: enough to keep the weights in the cache, as in steady use, and few enough (a few
// milliseconds) that all contenders meet the same disturbances.
constexpr std::size_t kTextsPerTurn = 16;

// One of the computations that are compared, with its best time per text in microseconds.
struct Contender {
  std::function<void(const Query&)> run;
  std::vector<double> best;
};

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

void time_turn(Contender& contender, std::span<const Query* const> texts,
               std::span<const std::size_t> turn) {
  Clock::time_point before = Clock::now();
  for (const std::size_t i : turn) {
    contender.run(*texts[i]);
    const Clock::time_point after = Clock::now();
    contender.best[i] = std::min(contender.best[i], microseconds(after - before));
    before = after;
  }
}

// Runs one round over all texts. Each round rotates the texts and the order of the contenders, so
// that no text is always the first one after a switch.
void run_round(std::span<Contender> contenders, std::span<const Query* const> texts,
               std::size_t round) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shift = round * (kTextsPerTurn / 3 + 1) % order.size();
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shift), order.end());
  for (std::size_t begin = 0; begin < order.size(); begin += kTextsPerTurn) {
    const auto turn =
        std::span(order).subspan(begin, std::min(kTextsPerTurn, order.size() - begin));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      time_turn(contenders[(i + round) % contenders.size()], texts, turn);
    }
  }
}

void reset_best_times(std::span<Contender> contenders, std::size_t texts) {
  for (Contender& contender : contenders) {
    contender.best.assign(texts, std::numeric_limits<double>::max());
  }
}

double total(const Contender& contender) {
  return std::accumulate(contender.best.begin(), contender.best.end(), 0.0);
}

// Estimates how many texts fit into the time limit from a trial on a few texts. The trial runs
// twice, because the first run fills the embedding tables and caches.
std::size_t count_affordable_texts(std::span<Contender> contenders,
                                   std::span<const Query* const> texts,
                                   const TimingOptions& options) {
  const auto trial = texts.first(std::min(kTextsPerTurn, texts.size()));
  reset_best_times(contenders, trial.size());
  for (std::size_t round = 0; round < 2; ++round) run_round(contenders, trial, round);
  double each = 0;
  for (const Contender& contender : contenders) each += total(contender);
  each /= static_cast<double>(trial.size());
  const double count = options.seconds * 1e6 / (each * (options.rounds + 1) + 1e-3);
  return static_cast<std::size_t>(std::clamp(count, static_cast<double>(kTextsPerTurn), 1e6));
}

std::vector<const Query*> select_evenly(std::span<const Query> queries, std::size_t count) {
  std::vector<const Query*> selection;
  for (const std::size_t i : evenly_spaced_indices(queries.size(), count))
    selection.push_back(&queries[i]);
  return selection;
}

enum Side : std::size_t { kModel, kDense, kTokenization };

Timing summary(std::span<const Contender> contenders, std::size_t words, int rounds) {
  const double model = total(contenders[kModel]);
  const double dense = total(contenders[kDense]);
  const double tokenization = total(contenders[kTokenization]);
  const double per_word = 1.0 / static_cast<double>(std::max<std::size_t>(words, 1));
  Timing timing;
  timing.speedup = dense / model;
  // The parts are timed separately, so noise can make the difference vanish when the reader itself
  // takes almost no time.
  timing.reading_speedup =
      (dense - tokenization) / std::max(model - tokenization, 0.01 * (dense - tokenization));
  timing.per_word = model * per_word;
  timing.dense_per_word = dense * per_word;
  timing.tokenization_per_word = tokenization * per_word;
  timing.per_text_p50 = percentile(contenders[kModel].best, 0.5);
  timing.per_text_p99 = percentile(contenders[kModel].best, 0.99);
  timing.texts = contenders[kModel].best.size();
  timing.rounds = rounds;
  return timing;
}

}  // namespace

Result<Timing> time_against_dense(const Model& model, std::span<const Query> queries, Policy policy,
                                  TimingOptions options, const Progress& progress) {
  if (queries.empty()) return fail(Fault::argument, "there are no texts to time");
  SKIM_ASSIGN_OR_RETURN(auto dense_model, model.dense());

  Session skim_session(model);
  Session dense_session(std::move(dense_model));
  TokenizationStep tokenization(model);
  Reading skim_reading, dense_reading;
  std::string error_message;
  const auto read = [&error_message](Session& session, const Query& query, Policy read_policy,
                                     Reading& into) {
    if (auto done = session.read(query, read_policy, into); !done) {
      error_message = done.error().message;
    }
  };
  std::array<Contender, 3> contenders = {
      Contender{[&](const Query& query) { read(skim_session, query, policy, skim_reading); }, {}},
      Contender{[&](const Query& query) { read(dense_session, query, Policy{}, dense_reading); },
                {}},
      Contender{[&](const Query& query) { tokenization.run(query.text); }, {}}};

  auto texts = select_evenly(queries, kTextsPerTurn);
  texts = select_evenly(queries, count_affordable_texts(contenders, texts, options));
  reset_best_times(contenders, texts.size());
  run_round(contenders, texts, 0);  // warm-up: fills embedding tables and caches
  reset_best_times(contenders, texts.size());
  for (int round = 0; round < options.rounds; ++round) {
    run_round(contenders, texts, static_cast<std::size_t>(round));
    report_progress(progress, (round + 1.0) / options.rounds);
  }
  if (!error_message.empty()) return fail(Fault::argument, error_message);
  std::size_t words = 0;
  for (const Query* query : texts) words += tokenization.run(query->text);
  return summary(contenders, words, options.rounds);
}

}  // namespace skim

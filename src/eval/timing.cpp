#include "eval/timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "eval/test_set.h"
#include "eval/tokenizing.h"
#include "skim/session.h"
#include "tasks/metrics.h"

namespace skim {
namespace {

using Clock = std::chrono::steady_clock;

// Texts a model reads before the other has its turn: enough to have its weights in the cache for
// most of them, as in steady use, and short enough (a few milliseconds) that both meet the same
// luck.
constexpr std::size_t kTurn = 16;

// Something that is done to each text, and its best time for each, in microseconds.
struct Contender {
  std::function<void(const Query&)> handle;
  std::vector<double> best;
};

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

void take_turn(Contender& contender, std::span<const Query* const> texts,
               std::span<const std::size_t> turn) {
  Clock::time_point before = Clock::now();
  for (const std::size_t i : turn) {
    contender.handle(*texts[i]);
    const Clock::time_point after = Clock::now();
    contender.best[i] = std::min(contender.best[i], microseconds(after - before));
    before = after;
  }
}

// One round over all texts. Turns start at another text each round, so that no text is always the
// first one after a change of models, and the contenders' order changes too.
void run_round(std::span<Contender> contenders, std::span<const Query* const> texts,
               std::size_t round) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shift = round * (kTurn / 3 + 1) % order.size();
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shift), order.end());
  for (std::size_t begin = 0; begin < order.size(); begin += kTurn) {
    const auto turn = std::span(order).subspan(begin, std::min(kTurn, order.size() - begin));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      take_turn(contenders[(i + round) % contenders.size()], texts, turn);
    }
  }
}

void forget(std::span<Contender> contenders, std::size_t texts) {
  for (Contender& contender : contenders) {
    contender.best.assign(texts, std::numeric_limits<double>::max());
  }
}

double total(const Contender& contender) {
  return std::accumulate(contender.best.begin(), contender.best.end(), 0.0);
}

// How many texts can be read in the time, judged from a few of them, read twice: the first time
// fills word tables and caches.
std::size_t affordable(std::span<Contender> contenders, std::span<const Query* const> texts,
                       const TimingOptions& options) {
  const auto trial = texts.first(std::min(kTurn, texts.size()));
  forget(contenders, trial.size());
  for (std::size_t round = 0; round < 2; ++round) run_round(contenders, trial, round);
  double each = 0;
  for (const Contender& contender : contenders) each += total(contender);
  each /= static_cast<double>(trial.size());
  const double count = options.seconds * 1e6 / (each * (options.rounds + 1) + 1e-3);
  return static_cast<std::size_t>(std::clamp(count, static_cast<double>(kTurn), 1e6));
}

std::vector<const Query*> even_selection(std::span<const Query> queries, std::size_t count) {
  std::vector<const Query*> selection;
  for (const std::size_t i : even_indices(queries.size(), count)) selection.push_back(&queries[i]);
  return selection;
}

enum Side : std::size_t { kModel, kPlain, kTokenizing };

Timing summary(std::span<const Contender> contenders, std::size_t words, int rounds) {
  const double model = total(contenders[kModel]);
  const double plain = total(contenders[kPlain]);
  const double tokenizing = total(contenders[kTokenizing]);
  const double per_word = 1.0 / static_cast<double>(std::max<std::size_t>(words, 1));
  Timing timing;
  timing.speedup = plain / model;
  // The parts are timed apart, so on a reader that takes next to no time noise could make the
  // difference vanish.
  timing.reading_speedup =
      (plain - tokenizing) / std::max(model - tokenizing, 0.01 * (plain - tokenizing));
  timing.per_word = model * per_word;
  timing.plain_per_word = plain * per_word;
  timing.tokenizing_per_word = tokenizing * per_word;
  timing.per_text_p50 = percentile(contenders[kModel].best, 0.5);
  timing.per_text_p99 = percentile(contenders[kModel].best, 0.99);
  timing.texts = contenders[kModel].best.size();
  timing.rounds = rounds;
  return timing;
}

}  // namespace

Result<Timing> time_against_plain(const Model& model, std::span<const Query> queries, Policy policy,
                                  TimingOptions options, const Progress& progress) {
  if (queries.empty()) return fail(Fault::argument, "there are no texts to time");
  auto plain = model.plain();
  if (!plain) return tl::make_unexpected(plain.error());

  Session skimming(model);
  Session reading_all(std::move(*plain));
  Tokenizing tokenizing(model);
  Reading skimmed, whole;
  std::string trouble;
  const auto ask = [&trouble](Session& session, const Query& query, Policy how, Reading& into) {
    if (auto answered = session.ask(query, how, into); !answered) {
      trouble = answered.error().message;
    }
  };
  std::array<Contender, 3> contenders = {
      Contender{[&](const Query& query) { ask(skimming, query, policy, skimmed); }, {}},
      Contender{[&](const Query& query) { ask(reading_all, query, Policy{}, whole); }, {}},
      Contender{[&](const Query& query) { tokenizing.find_words(query.text); }, {}}};

  auto texts = even_selection(queries, kTurn);
  texts = even_selection(queries, affordable(contenders, texts, options));
  forget(contenders, texts.size());
  run_round(contenders, texts, 0);  // warm-up: fills word tables and caches
  forget(contenders, texts.size());
  for (int round = 0; round < options.rounds; ++round) {
    run_round(contenders, texts, static_cast<std::size_t>(round));
    tell(progress, (round + 1.0) / options.rounds);
  }
  if (!trouble.empty()) return fail(Fault::argument, trouble);
  std::size_t words = 0;
  for (const Query* query : texts) words += tokenizing.find_words(query->text);
  return summary(contenders, words, options.rounds);
}

}  // namespace skim

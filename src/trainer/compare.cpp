#include "trainer/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/output.h"
#include "skim/model.h"
#include "skim/session.h"
#include "tasks/load.h"
#include "train/load.h"
#include "train/replay.h"

namespace skim::cli {
namespace {

struct Found {
  std::size_t queries = 0, answers = 0;  // answers: equal ones
  std::size_t steps = 0, decisions = 0;  // decisions: equal ones
  double score_error = 0;                // the largest

  bool same() const { return answers == queries && decisions == steps; }
};

void hold_against(const Probe& trained, const Reading& read, Found& found) {
  ++found.queries;
  const bool same = trained.index == read.answer.index && trained.begin == read.answer.begin &&
                    trained.end == read.answer.end;
  found.answers += same ? 1U : 0U;
  for (std::size_t i = 0; i < read.scores.size(); ++i)
    found.score_error = std::max(found.score_error,
                                 std::abs(static_cast<double>(read.scores[i] - trained.scores[i])));
  for (std::size_t i = 0; i < read.trace.size(); ++i) {
    const std::vector<Step>&here = read.trace[i].steps, &there = trained.trace[i].steps;
    found.steps += std::max(here.size(), there.size());
    for (std::size_t t = 0; t < std::min(here.size(), there.size()); ++t)
      found.decisions += here[t].width == there[t].width ? 1U : 0U;
  }
}

Result<Found> compare_on(const std::string& model_path, const std::string& data_path, int limit,
                         Policy policy) {
  const auto file = open_model_file(model_path);
  if (!file) return tl::unexpected(file.error());
  const auto model = Model::load(model_path);
  if (!model) return tl::unexpected(model.error());
  auto data = load_examples(data_path);
  if (!data) return tl::unexpected(data.error());
  train::keep_evenly(data->examples, static_cast<std::size_t>(limit));
  std::vector<Query> queries;
  for (Example& example : data->examples) queries.push_back(std::move(example.query));
  const auto trained = train::replay(*file, queries, policy);
  if (!trained) return tl::unexpected(trained.error());
  Session session(*model);
  Found found;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto reading = session.ask(queries[i], policy);
    if (!reading) return tl::unexpected(reading.error());
    hold_against((*trained)[i], *reading, found);
  }
  return found;
}

int tell(const Found& found, bool json) {
  if (json) {
    const Json result = {{"queries", found.queries},
                         {"equal_answers", found.answers},
                         {"steps", found.steps},
                         {"equal_decisions", found.decisions},
                         {"worst_score_error", found.score_error}};
    print(result.dump() + "\n");
  } else {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%zu of %zu answers and %zu of %zu decisions are the same; scores differ by %.2g "
                  "at most\n",
                  found.answers, found.queries, found.decisions, found.steps, found.score_error);
    print(text);
  }
  return found.same() ? kDone : kFailed;
}

}  // namespace

int compare(Arguments arguments) {
  std::string model, data;
  int limit = 0;
  double threshold = 0.5;
  bool json = false;
  Options options("train compare",
                  "Reads texts or questions with the trainer's nets and with the runtime, and "
                  "counts the answers and decisions that are the same. Fails unless all are.",
                  "MODEL FILE [options]");
  options.add_argument("MODEL", model, "a model file with f32 weights");
  options.add_argument("FILE", data, "texts or questions");
  options.add("--limit", limit, "N", "so many of them, evenly spread (default 0: all)");
  options.add("--threshold", threshold, "T", "read a word when p_read > T (default 0.5)");
  options.add_flag("--json", json, "as JSON");
  if (const auto code = options.parse(arguments)) return *code;
  if (limit < 0) return wrong_usage("train compare", "--limit must not be negative");
  if (!(threshold >= 0 && threshold <= 1))
    return wrong_usage("train compare", "--threshold must be from 0 to 1");
  Policy policy;
  policy.read_above = static_cast<float>(threshold);
  const auto found = compare_on(model, data, limit, policy);
  return found ? tell(*found, json) : failed("train compare", found.error());
}

}  // namespace skim::cli

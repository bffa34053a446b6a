#include "trainer/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result_macros.h"
#include "cli/output.h"
#include "skim/model.h"
#include "skim/session.h"
#include "tasks/label_sets.h"
#include "tasks/load.h"
#include "train/load.h"
#include "train/replay.h"

namespace skim::cli {
namespace {

struct Comparison {
  std::size_t queries = 0, equal_answers = 0;
  std::size_t steps = 0, equal_decisions = 0;
  double max_score_error = 0;

  bool same() const { return equal_answers == queries && equal_decisions == steps; }
};

void compare_reading(const Probe& trained, const Reading& read, Comparison& comparison) {
  ++comparison.queries;
  const bool same = trained.index == read.answer.index && trained.begin == read.answer.begin &&
                    trained.end == read.answer.end;
  comparison.equal_answers += same ? 1U : 0U;
  for (std::size_t i = 0; i < read.scores.size(); ++i)
    comparison.max_score_error =
        std::max(comparison.max_score_error,
                 std::abs(static_cast<double>(read.scores[i] - trained.scores[i])));
  for (std::size_t i = 0; i < read.trace.size(); ++i) {
    const std::vector<Step>&actual = read.trace[i].steps, &expected = trained.trace[i].steps;
    comparison.steps += std::max(actual.size(), expected.size());
    for (std::size_t t = 0; t < std::min(actual.size(), expected.size()); ++t)
      comparison.equal_decisions += actual[t].width == expected[t].width ? 1U : 0U;
  }
}

Result<Comparison> compare_on(const std::string& model_path, const std::string& data_path,
                              int limit, Policy policy) {
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(model_path));
  SKIM_ASSIGN_OR_RETURN(const auto model, Model::load(model_path));
  SKIM_ASSIGN_OR_RETURN(auto data, load_examples(data_path, label_kind(model.spec())));
  train::subsample(data.examples, static_cast<std::size_t>(limit));
  std::vector<Query> queries;
  for (Example& example : data.examples) queries.push_back(std::move(example.query));
  SKIM_ASSIGN_OR_RETURN(const auto trained, train::replay(file, queries, policy));
  Session session(model);
  Comparison comparison;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    SKIM_ASSIGN_OR_RETURN(const auto reading, session.read(queries[i], policy));
    compare_reading(trained[i], reading, comparison);
  }
  return comparison;
}

int print_comparison(const Comparison& comparison, bool json) {
  if (json) {
    const Json result = {{"queries", comparison.queries},
                         {"equal_answers", comparison.equal_answers},
                         {"steps", comparison.steps},
                         {"equal_decisions", comparison.equal_decisions},
                         {"max_score_error", comparison.max_score_error}};
    print(result.dump() + "\n");
  } else {
    char text[256];
    std::snprintf(text, sizeof text,
                  "%zu of %zu answers and %zu of %zu decisions are equal; scores differ by at most "
                  "%.2g\n",
                  comparison.equal_answers, comparison.queries, comparison.equal_decisions,
                  comparison.steps, comparison.max_score_error);
    print(text);
  }
  return comparison.same() ? kSuccess : kFailure;
}

}  // namespace

int compare(Arguments arguments) {
  std::string model, data;
  int limit = 0;
  double threshold = 0.5;
  bool json = false;
  Options options("train compare",
                  "Reads texts or questions with the trainer's nets and with the runtime, and "
                  "counts equal answers and decisions. Fails unless all are equal.",
                  "MODEL FILE [options]");
  options.add_argument("MODEL", model, "a model file with f32 weights");
  options.add_argument("FILE", data, "texts or questions");
  options.add("--limit", limit, "N", "compare N of them, evenly spread; 0 for all (default 0)");
  options.add("--threshold", threshold, "T", "read a word when p_read > T (default 0.5)");
  options.add_flag("--json", json, "print the result as JSON");
  if (const auto code = options.parse(arguments)) return *code;
  if (limit < 0) return usage_error("train compare", "--limit must not be negative");
  if (!(threshold >= 0 && threshold <= 1))
    return usage_error("train compare", "--threshold must be from 0 to 1");
  Policy policy;
  policy.threshold = static_cast<float>(threshold);
  const auto comparison = compare_on(model, data, limit, policy);
  return comparison ? print_comparison(*comparison, json)
                    : failed("train compare", comparison.error());
}

}  // namespace skim::cli

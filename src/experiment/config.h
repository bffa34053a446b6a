// The rows of the tables and figures, as experiments/ describes them: one small file a row, one a
// data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "skim/result.h"

namespace skim {

// experiments/sets/NAME.json. Paths are relative to the folder that --data names.
struct DataSet {
  std::string name;
  std::string title;
  std::string note;  // what a reader of the table must know about the data
  std::vector<std::string> train;
  std::string dev, test, vectors;
  Json options = Json::object();  // of `skim train`, for every row on this data
};

// What the paper says of the same row; shares as fractions.
struct Published {
  std::optional<double> accuracy, skim_rate, flop_reduction, speedup;
};

// experiments/NAME.json
struct Row {
  std::string name;
  std::string title;
  std::string set;
  std::string group;  // rows of one group stand together in one table or figure
  std::vector<std::uint64_t> seeds;
  // Of `skim train`: the data set's, then the row's own. "teacher" and
  // "start-from" name a row here.
  Json options = Json::object();
  bool sweep = false;           // accuracy at many thresholds, too
  std::vector<double> budgets;  // accuracy at these shares of the plain reader's work, too
  Published paper;
};

struct Experiments {
  std::vector<DataSet> sets;  // by name
  std::vector<Row> rows;      // by name

  const DataSet& set_of(const Row& row) const;
  // The row whose models teach this one, or null.
  const Row* teacher_of(const Row& row) const;
  // The row with whose model this one begins, or null.
  const Row* start_of(const Row& row) const;
};

// The seed whose model of `start` a run of `row` begins with: its own, or, of a row on other data,
// the first.
std::uint64_t seed_to_start_with(const Row& row, const Row& start, std::uint64_t seed);

// An error names the file and the field.
Result<Experiments> load_experiments(const std::filesystem::path& folder);

// {"gamma": 0.01, "bidirectional": true, "small": "20,5"} as --gamma 0.01 --bidirectional --small
// 20,5; without those that name a row.
std::vector<std::string> option_arguments(const Json& options);

}  // namespace skim

// What was found: one report a row in experiments/results/, a run a seed in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "base/json.h"
#include "experiment/config.h"
#include "skim/result.h"

namespace skim {

// Everything a run depends on but the program: options, seed, the contents of the data files, and
// the runs whose models teach it.
// Two runs with the same recipe are the same run.
struct Recipe {
  Json options;
  std::uint64_t seed = 0;
  Json data;                       // checksum of each file, digest of each other row's run
  std::vector<Recipe> teachers{};  // one a seed of the row that teaches this one
  std::vector<Recipe> start{};     // none, or the one whose model it begins with

  // Eight hex digits that stand for all of it in names of files.
  std::string digest() const;
};

// Reads every file of the row's set. `checksums` keeps what was read, from path to checksum.
Result<Recipe> recipe_of(const Experiments& all, const Row& row, std::uint64_t seed,
                         const std::filesystem::path& data, Json& checksums);

// The report of a row; without runs if there is none yet.
Result<Json> load_report(const std::filesystem::path& folder, const Row& row);

// The run of this recipe in a report, or null. A run of the same seed and another recipe is not it.
const Json* find_run(const Json& report, const Recipe& recipe);
// The run of this seed and these options, whatever the data: for those who have only the report.
const Json* find_run(const Json& report, const Row& row, std::uint64_t seed);

// Puts a run into the row's report, in place of the one with its seed, and writes the report.
// `lock` is a file that keeps two programs from doing so at once.
Result<void> store_run(const std::filesystem::path& folder, const Row& row, const Json& run,
                       const std::filesystem::path& lock);

// Held until it goes. Nothing when another program holds it and `wait` is no.
enum class Wait { no, yes };
class FileLock {
 public:
  static Result<std::optional<FileLock>> take(const std::filesystem::path& path, Wait wait);

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace skim

#include "experiment/store.h"

#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <span>

#include "base/file.h"
#include "base/first_error.h"
#include "file/checksum.h"

namespace skim {
namespace {

namespace fs = std::filesystem;

std::string checksum_of_text(std::string_view text) {
  const std::array pieces = {std::as_bytes(std::span(text))};
  return checksum_to_hex(compute_checksum(pieces));
}

Result<std::string> checksum_of_file(const fs::path& path, Json& known) {
  const std::string key = path.string();
  if (known.contains(key)) return known[key].get<std::string>();
  const auto file = MappedFile::open(path);
  if (!file) return tl::make_unexpected(file.error());
  const std::array pieces = {file->bytes()};
  known[key] = checksum_to_hex(compute_checksum(pieces));
  return known[key].get<std::string>();
}

fs::path report_path(const fs::path& folder, const Row& row) {
  return folder / (row.name + ".json");
}

// Objects in an array that may be missing, each with these numbers.
void check_list(const Json& run, const char* key, std::initializer_list<const char*> numbers,
                const std::string& where, FirstError& fields) {
  if (!run.contains(key)) return;
  const Json* list = nullptr;
  fields.take(list, array_at(run, key, where));
  if (list == nullptr) return;
  for (const Json& at : *list) {
    for (const char* number : numbers) fields.check(number_at(at, number, where + "." + key));
  }
}

void check_part(const Json& run, const char* key, std::initializer_list<const char*> numbers,
                const std::string& where, FirstError& fields) {
  const Json* part = nullptr;
  fields.take(part, object_at(run, key, where));
  if (part == nullptr) return;
  for (const char* number : numbers) fields.check(number_at(*part, number, where + "." + key));
}

// All that those who read reports rely on.
Result<void> check_run(const Json& run, const std::string& where) {
  FirstError fields;
  fields.check(unsigned_at(run, "seed", where));
  fields.check(object_at(run, "options", where));
  fields.check(object_at(run, "data", where));
  fields.check(string_at(run, "commit", where));
  fields.check(string_at(run, "date", where));
  check_part(run, "machine", {"cores"}, where, fields);
  check_part(run, "training", {"steps", "seconds"}, where, fields);
  check_part(run, "dev", {"accuracy"}, where, fields);
  check_part(run, "test", {"accuracy", "skim_rate"}, where, fields);
  check_list(run, "budgets", {"budget", "work", "accuracy", "skim_rate"}, where, fields);
  check_list(run, "thresholds", {"accuracy"}, where, fields);
  if (const auto fine = fields.finish(); !fine) return fine;
  fields.check(string_at(run["machine"], "cpu", where + ".machine"));
  fields.check(string_at(run["machine"], "simd", where + ".machine"));
  check_list(run["dev"], "looks", {"step", "accuracy", "skim_rate"}, where + ".dev", fields);
  check_list(run["test"], "passes", {"skim_rate"}, where + ".test", fields);
  if (const auto fine = fields.finish(); !fine) return fine;
  if (run["test"].contains("passes")) {
    for (const Json& pass : run["test"]["passes"])
      fields.check(string_at(pass, "reader", where + ".test.passes"));
  }
  if (run.contains("thresholds")) {
    for (const Json& at : run["thresholds"])
      check_part(at, "flop_reduction", {"counted"}, where + ".thresholds", fields);
  }
  return fields.finish();
}

}  // namespace

std::string Recipe::digest() const {
  return checksum_of_text(to_text({{"options", options}, {"seed", seed}, {"data", data}}))
      .substr(0, 8);
}

Result<Recipe> recipe_of(const Experiments& all, const Row& row, std::uint64_t seed,
                         const fs::path& data, Json& checksums) {
  const DataSet& set = all.set_of(row);
  Recipe recipe{row.options, seed, Json::object()};
  std::vector<std::string> files = set.train;
  if (!set.dev.empty()) files.push_back(set.dev);
  files.push_back(set.test);
  if (!set.vectors.empty()) files.push_back(set.vectors);
  for (const std::string& file : files) {
    const auto checksum = checksum_of_file(data / file, checksums);
    if (!checksum) return tl::make_unexpected(checksum.error());
    recipe.data[file] = *checksum;
  }
  const auto add = [&](const Row& other, std::uint64_t its_seed,
                       std::vector<Recipe>& to) -> Result<void> {
    auto made = recipe_of(all, other, its_seed, data, checksums);
    if (!made) return tl::make_unexpected(made.error());
    recipe.data[other.name + " seed " + std::to_string(its_seed)] = made->digest();
    to.push_back(std::move(*made));
    return {};
  };
  const Row* teacher = all.teacher_of(row);
  for (std::size_t i = 0; teacher != nullptr && i < teacher->seeds.size(); ++i) {
    if (const auto added = add(*teacher, teacher->seeds[i], recipe.teachers); !added)
      return tl::make_unexpected(added.error());
  }
  if (const Row* start = all.start_of(row); start != nullptr) {
    if (const auto added = add(*start, seed_to_start_with(row, *start, seed), recipe.start); !added)
      return tl::make_unexpected(added.error());
  }
  return recipe;
}

Result<Json> load_report(const fs::path& folder, const Row& row) {
  const fs::path path = report_path(folder, row);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Json{{"row", row.name}, {"runs", Json::array()}};
  const auto text = read_text(path);
  if (!text) return tl::make_unexpected(text.error());
  auto report = parse_json(*text, path.string());
  if (!report) return report;
  const auto runs = array_at(*report, "runs", path.string() + ": report");
  if (!runs) return tl::make_unexpected(runs.error());
  for (const Json& run : **runs) {
    if (const auto fine = check_run(run, path.string() + ": run"); !fine)
      return tl::make_unexpected(fine.error());
  }
  return report;
}

const Json* find_run(const Json& report, const Recipe& recipe) {
  for (const Json& run : report["runs"]) {
    if (run["seed"] == recipe.seed && run["options"] == recipe.options &&
        run["data"] == recipe.data)
      return &run;
  }
  return nullptr;
}

const Json* find_run(const Json& report, const Row& row, std::uint64_t seed) {
  for (const Json& run : report["runs"]) {
    if (run["seed"] == seed && run["options"] == row.options) return &run;
  }
  return nullptr;
}

Result<void> store_run(const fs::path& folder, const Row& row, const Json& run,
                       const fs::path& lock) {
  const auto held = FileLock::take(lock, Wait::yes);
  if (!held) return tl::make_unexpected(held.error());
  auto report = load_report(folder, row);
  if (!report) return tl::make_unexpected(report.error());
  Json runs = Json::array();
  for (const Json& old : (*report)["runs"]) {
    if (old["seed"] != run["seed"]) runs.push_back(old);
  }
  runs.push_back(run);
  std::sort(runs.begin(), runs.end(), [](const Json& a, const Json& b) {
    return a["seed"].get<std::uint64_t>() < b["seed"].get<std::uint64_t>();
  });
  (*report)["title"] = row.title;
  (*report)["set"] = row.set;
  (*report)["runs"] = std::move(runs);
  std::error_code fault;
  fs::create_directories(folder, fault);
  return write_atomically(report_path(folder, row), to_text(*report, 1) + "\n");
}

Result<std::optional<FileLock>> FileLock::take(const fs::path& path, Wait wait) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return system_error(path, "cannot open it");
  const int how = LOCK_EX | (wait == Wait::no ? LOCK_NB : 0);
  while (::flock(file.number(), how) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) return system_error(path, "cannot lock it");
  }
  return FileLock(std::move(file));
}

}  // namespace skim

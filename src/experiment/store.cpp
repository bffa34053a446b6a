#include "experiment/store.h"

#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/file.h"
#include "file/checksum.h"

namespace skim {
namespace {

namespace fs = std::filesystem;

std::string checksum_of_text(std::string_view text) {
  const std::array pieces = {std::as_bytes(std::span(text))};
  return checksum_text(checksum_of(pieces));
}

Result<std::string> checksum_of_file(const fs::path& path, Json& known) {
  const std::string key = path.string();
  if (known.contains(key)) return known[key].get<std::string>();
  const auto file = MappedFile::open(path);
  if (!file) return tl::make_unexpected(file.error());
  const std::array pieces = {file->bytes()};
  known[key] = checksum_text(checksum_of(pieces));
  return known[key].get<std::string>();
}

fs::path report_path(const fs::path& folder, const Row& row) {
  return folder / (row.name + ".json");
}

}  // namespace

std::string Recipe::digest() const {
  return checksum_of_text(to_text({{"options", options}, {"seed", seed}, {"data", data}}))
      .substr(0, 8);
}

Result<Recipe> recipe_of(const Row& row, const DataSet& set, std::uint64_t seed,
                         const fs::path& data, Json& checksums) {
  Recipe recipe{row.options, seed, Json::object()};
  std::vector<std::string> files = set.train;
  files.insert(files.end(), {set.dev, set.test});
  if (!set.vectors.empty()) files.push_back(set.vectors);
  for (const std::string& file : files) {
    const auto checksum = checksum_of_file(data / file, checksums);
    if (!checksum) return tl::make_unexpected(checksum.error());
    recipe.data[file] = *checksum;
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
    if (const auto seed = unsigned_at(run, "seed", path.string() + ": run"); !seed)
      return tl::make_unexpected(seed.error());
  }
  return report;
}

const Json* find_run(const Json& report, const Recipe& recipe) {
  for (const Json& run : report["runs"]) {
    if (run["seed"] == recipe.seed && run.value("options", Json()) == recipe.options &&
        run.value("data", Json()) == recipe.data)
      return &run;
  }
  return nullptr;
}

const Json* find_run(const Json& report, const Row& row, std::uint64_t seed) {
  for (const Json& run : report["runs"]) {
    if (run["seed"] == seed && run.value("options", Json()) == row.options) return &run;
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
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return system_error(path, "cannot open it");
  const int how = LOCK_EX | (wait == Wait::no ? LOCK_NB : 0);
  while (::flock(file.number(), how) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) return system_error(path, "cannot lock it");
  }
  return FileLock(std::move(file));
}

}  // namespace skim

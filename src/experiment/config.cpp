#include "experiment/config.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/file.h"
#include "base/first_error.h"

namespace skim {
namespace {

namespace fs = std::filesystem;

// Options of training that name a row instead of a file.
constexpr std::string_view kTeacher = "teacher";
constexpr std::string_view kStart = "start-from";
// What the queue decides, not a row.
constexpr std::array<std::string_view, 13> kNotForRows = {
    "train",  "dev",   "test",       "embeddings",         "out",    "seed", "log", "json",
    "resume", "quiet", "checkpoint", "checkpoint-seconds", "threads"};

Result<void> only_fields(const Json& object, std::span<const std::string_view> known,
                         const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return fail(Fault::format, where + "." + key + " is not a field of this kind of file");
  }
  return {};
}

bool is_scalar_option(const Json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

Result<Json> options_at(const Json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) return Json::object();
  const auto options = object_at(object, key, where);
  if (!options) return tl::make_unexpected(options.error());
  for (const auto& [name, value] : (*options)->items()) {
    const std::string path = where + "." + key + "." + name;
    if (std::find(kNotForRows.begin(), kNotForRows.end(), name) != kNotForRows.end())
      return fail(Fault::format, path + " is chosen when the row is run, not in its file");
    if (!is_scalar_option(value))
      return fail(Fault::format, path + " must be a text, a number, true or false");
  }
  return **options;
}

Result<std::string> text_or(const Json& object, const char* key, std::string otherwise,
                            const std::string& where) {
  if (!object.contains(key)) return otherwise;
  return string_at(object, key, where);
}

Result<std::vector<std::string>> texts_at(const Json& object, const char* key,
                                          const std::string& where) {
  const auto list = array_at(object, key, where);
  if (!list) return tl::make_unexpected(list.error());
  std::vector<std::string> texts;
  for (const Json& item : **list) {
    auto text = as_string(item, where + "." + key);
    if (!text) return tl::make_unexpected(text.error());
    texts.push_back(std::move(*text));
  }
  if (texts.empty()) return fail(Fault::format, where + "." + key + " is empty");
  return texts;
}

Result<std::vector<double>> shares_at(const Json& object, const char* key,
                                      const std::string& where) {
  std::vector<double> shares;
  if (!object.contains(key)) return shares;
  const auto list = array_at(object, key, where);
  if (!list) return tl::make_unexpected(list.error());
  for (const Json& item : **list) {
    const auto share = as_number(item, where + "." + key);
    if (!share) return tl::make_unexpected(share.error());
    if (!(*share >= 0 && *share <= 1))
      return fail(Fault::format, where + "." + key + " must be numbers from 0 to 1");
    shares.push_back(*share);
  }
  return shares;
}

Result<std::vector<std::uint64_t>> seeds_at(const Json& object, const std::string& where) {
  const auto list = array_at(object, "seeds", where);
  if (!list) return tl::make_unexpected(list.error());
  std::vector<std::uint64_t> seeds;
  for (const Json& item : **list) {
    const auto seed = as_int(item, {0, 1'000'000'000}, where + ".seeds");
    if (!seed) return tl::make_unexpected(seed.error());
    seeds.push_back(static_cast<std::uint64_t>(*seed));
  }
  if (seeds.empty()) return fail(Fault::format, where + ".seeds is empty");
  return seeds;
}

Result<Published> published_at(const Json& object, const std::string& where) {
  Published paper;
  if (!object.contains("paper")) return paper;
  const auto fields = object_at(object, "paper", where);
  if (!fields) return tl::make_unexpected(fields.error());
  const std::string path = where + ".paper";
  constexpr std::array<std::string_view, 4> known = {"accuracy", "skim_rate", "flop_reduction",
                                                     "speedup"};
  if (const auto fine = only_fields(**fields, known, path); !fine)
    return tl::make_unexpected(fine.error());
  const std::array<std::optional<double>*, 4> into = {&paper.accuracy, &paper.skim_rate,
                                                      &paper.flop_reduction, &paper.speedup};
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!(*fields)->contains(known[i])) continue;
    const auto value = number_at(**fields, known[i], path);
    if (!value) return tl::make_unexpected(value.error());
    *into[i] = *value;
  }
  return paper;
}

Result<Json> load_object(const fs::path& path) {
  const auto text = read_text(path);
  if (!text) return tl::make_unexpected(text.error());
  auto json = parse_json(*text, path.string());
  if (json && !json->is_object())
    return fail(Fault::format, path.string() + ": must be a JSON object");
  return json;
}

Result<DataSet> load_set(const fs::path& path) {
  const auto json = load_object(path);
  if (!json) return tl::make_unexpected(json.error());
  const std::string where = path.string() + ": set";
  constexpr std::array<std::string_view, 7> known = {"title", "note",    "train",  "dev",
                                                     "test",  "vectors", "options"};
  DataSet set;
  set.name = path.stem().string();
  FirstError fields;
  fields.check(only_fields(*json, known, where));
  fields.take(set.title, string_at(*json, "title", where));
  fields.take(set.note, text_or(*json, "note", "", where));
  fields.take(set.train, texts_at(*json, "train", where));
  fields.take(set.dev, text_or(*json, "dev", "", where));
  fields.take(set.test, string_at(*json, "test", where));
  fields.take(set.vectors, text_or(*json, "vectors", "", where));
  fields.take(set.options, options_at(*json, "options", where));
  return fields.finish(std::move(set));
}

// The data set's options, then the row's own, which win.
Result<Json> merged_options(const Json& own, const std::string& name,
                            const std::vector<DataSet>& sets, const std::string& where) {
  const auto set =
      std::find_if(sets.begin(), sets.end(), [&](const DataSet& one) { return one.name == name; });
  if (set == sets.end())
    return fail(Fault::format, where + ".set: there is no sets/" + name + ".json");
  Json options = set->options;
  for (const auto& [key, value] : own.items()) options[key] = value;
  return options;
}

Result<Row> load_row(const fs::path& path, const std::vector<DataSet>& sets) {
  const auto json = load_object(path);
  if (!json) return tl::make_unexpected(json.error());
  const std::string where = path.string() + ": row";
  constexpr std::array<std::string_view, 8> known = {"title", "set",   "group",   "seeds",
                                                     "train", "sweep", "budgets", "paper"};
  Row row;
  row.name = path.stem().string();
  Json own;
  FirstError fields;
  fields.check(only_fields(*json, known, where));
  fields.take(row.title, string_at(*json, "title", where));
  fields.take(row.set, string_at(*json, "set", where));
  fields.take(row.group, text_or(*json, "group", "table", where));
  fields.take(row.seeds, seeds_at(*json, where));
  if (json->contains("sweep")) fields.take(row.sweep, bool_at(*json, "sweep", where));
  fields.take(row.budgets, shares_at(*json, "budgets", where));
  fields.take(row.paper, published_at(*json, where));
  fields.take(own, options_at(*json, "train", where));
  fields.take(row.options, merged_options(own, row.set, sets, where));
  return fields.finish(std::move(row));
}

Result<std::vector<fs::path>> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (fault)
    return fail(Fault::io, folder.string() + ": " + fault.message() +
                               "; name the folder of experiments with --experiments DIR");
  std::sort(files.begin(), files.end());
  return files;
}

const Row* row_named_by(const Experiments& all, const Row& row, std::string_view option) {
  const auto name = row.options.find(option);
  if (name == row.options.end() || !name->is_string()) return nullptr;
  const auto found = std::find_if(all.rows.begin(), all.rows.end(), [&](const Row& one) {
    return one.name == name->get_ref<const std::string&>();
  });
  return found == all.rows.end() ? nullptr : &*found;
}

// Whether a row is among those that `from` builds on, or they build on.
bool builds_on(const Experiments& all, const Row& from, const Row& row, std::size_t depth = 0) {
  for (const std::string_view option : {kTeacher, kStart}) {
    const Row* other = row_named_by(all, from, option);
    if (other == nullptr) continue;
    if (other == &row || depth > all.rows.size() || builds_on(all, *other, row, depth + 1))
      return true;
  }
  return false;
}

// A row that teaches another one is on the same data.
Result<void> check_row_named_by(const Experiments& all, const Row& row, std::string_view option,
                                const fs::path& folder) {
  if (!row.options.contains(option)) return {};
  const std::string where =
      (folder / (row.name + ".json")).string() + ": row.train." + std::string(option);
  const Row* other = row_named_by(all, row, option);
  if (other == nullptr) return fail(Fault::format, where + " must be the name of another row");
  if (option == kTeacher && other->set != row.set)
    return fail(Fault::format, where + ": " + other->name + " is not on the same data");
  if (other == &row || builds_on(all, *other, row))
    return fail(Fault::format, where + ": " + row.name + " would build on itself");
  return {};
}

// On the same data a seed begins with the model of the same seed.
Result<void> check_seeds_of_start(const Experiments& all, const Row& row, const fs::path& folder) {
  const Row* start = all.start_of(row);
  if (start == nullptr || start->set != row.set) return {};
  for (const std::uint64_t seed : row.seeds) {
    if (std::find(start->seeds.begin(), start->seeds.end(), seed) == start->seeds.end())
      return fail(Fault::format, (folder / (row.name + ".json")).string() + ": row.train." +
                                     std::string(kStart) + ": " + start->name + " has no seed " +
                                     std::to_string(seed));
  }
  return {};
}

std::string argument_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

}  // namespace

const DataSet& Experiments::set_of(const Row& row) const {
  return *std::find_if(sets.begin(), sets.end(),
                       [&](const DataSet& set) { return set.name == row.set; });
}

const Row* Experiments::teacher_of(const Row& row) const {
  return row_named_by(*this, row, kTeacher);
}

const Row* Experiments::start_of(const Row& row) const { return row_named_by(*this, row, kStart); }

std::uint64_t seed_to_start_with(const Row& row, const Row& start, std::uint64_t seed) {
  return start.set == row.set ? seed : start.seeds.front();
}

Result<Experiments> load_experiments(const fs::path& folder) {
  Experiments all;
  const auto sets = json_files(folder / "sets");
  if (!sets) return tl::make_unexpected(sets.error());
  for (const fs::path& path : *sets) {
    auto set = load_set(path);
    if (!set) return tl::make_unexpected(set.error());
    all.sets.push_back(std::move(*set));
  }
  const auto rows = json_files(folder);
  if (!rows) return tl::make_unexpected(rows.error());
  for (const fs::path& path : *rows) {
    auto row = load_row(path, all.sets);
    if (!row) return tl::make_unexpected(row.error());
    all.rows.push_back(std::move(*row));
  }
  for (const Row& row : all.rows) {
    for (const std::string_view option : {kTeacher, kStart}) {
      if (const auto fine = check_row_named_by(all, row, option, folder); !fine)
        return tl::make_unexpected(fine.error());
    }
    if (const auto fine = check_seeds_of_start(all, row, folder); !fine)
      return tl::make_unexpected(fine.error());
  }
  return all;
}

std::vector<std::string> option_arguments(const Json& options) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : options.items()) {
    if (name == kTeacher || name == kStart) continue;
    if (value.is_boolean() && !value.get<bool>()) continue;
    arguments.push_back("--" + name);
    if (!value.is_boolean()) arguments.push_back(argument_text(value));
  }
  return arguments;
}

}  // namespace skim

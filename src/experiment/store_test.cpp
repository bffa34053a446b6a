#include "experiment/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "experiment/run.h"

namespace skim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ExperimentTest : public testing::Test {
 protected:
  ExperimentTest() {
    std::string name = (fs::temp_directory_path() / "skim-experiment-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    for (const char* set : {"sets/tiny.json", "sets/other.json"}) {
      put(set, R"({"title": "Tiny", "train": ["train.tsv"], "dev": "dev.tsv", "test": "test.tsv",
                   "options": {"batch": 8, "pooling": "max"}})");
    }
    put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1, 2], "train": {"batch": 16}})");
    for (const char* file : {"train.tsv", "dev.tsv", "test.tsv"}) put(file, "x\tone word\n");
  }
  ~ExperimentTest() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_atomically(folder_ / name, text));
  }
  std::string fault() const {
    const auto all = load_experiments(folder_);
    return all ? "" : all.error().message;
  }

  fs::path folder_;
};

TEST_F(ExperimentTest, ARowsOwnOptionsWinOverTheSets) {
  const auto all = load_experiments(folder_);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->rows.size(), 1U);
  EXPECT_EQ(all->rows[0].options, (Json{{"batch", 16}, {"pooling", "max"}}));
  EXPECT_EQ(all->set_of(all->rows[0]).title, "Tiny");
}

TEST(OptionArguments, FlagsStandAloneAndFalseOnesNotAtAll) {
  EXPECT_THAT(option_arguments(
                  {{"gamma", 0.01}, {"bidirectional", true}, {"other", false}, {"small", "20,5"}}),
              testing::ElementsAre("--gamma", "0.01", "--bidirectional", "--small", "20,5"));
}

TEST_F(ExperimentTest, ABadRowIsNamedWithItsField) {
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": []})");
  EXPECT_THAT(fault(), AllOf(HasSubstr("a.json"), HasSubstr("seeds")));
  put("a.json", R"({"title": "A", "set": "huge", "seeds": [1]})");
  EXPECT_THAT(fault(), AllOf(HasSubstr("a.json"), HasSubstr("sets/huge.json")));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "gama": 1})");
  EXPECT_THAT(fault(), HasSubstr("gama"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"out": "x"}})");
  EXPECT_THAT(fault(), HasSubstr("train.out"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "budgets": [2]})");
  EXPECT_THAT(fault(), HasSubstr("budgets"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"teacher": "b"}})");
  EXPECT_THAT(fault(), HasSubstr("a.json: row.train.teacher must be the name of another row"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"teacher": "a"}})");
  EXPECT_THAT(fault(), HasSubstr("row.train.teacher: a would build on itself"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"start-from": "a"}})");
  EXPECT_THAT(fault(), HasSubstr("row.train.start-from: a would build on itself"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"start-from": "b"}})");
  put("b.json", R"({"title": "B", "set": "tiny", "seeds": [1], "train": {"teacher": "a"}})");
  EXPECT_THAT(fault(), HasSubstr("would build on itself"));
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1], "train": {}})");
  put("b.json", R"({"title": "B", "set": "tiny", "seeds": [7], "train": {"start-from": "a"}})");
  EXPECT_THAT(fault(), HasSubstr("b.json: row.train.start-from: a has no seed 7"));
  put("b.json", R"({"title": "B", "set": "other", "seeds": [1], "train": {"teacher": "a"}})");
  EXPECT_THAT(fault(), HasSubstr("b.json: row.train.teacher: a is not on the same data"));
  fs::remove(folder_ / "b.json");
  put("a.json", "[]");
  EXPECT_THAT(fault(), HasSubstr("a.json"));
}

class StoreTest : public ExperimentTest {
 protected:
  StoreTest() : all_(load_experiments(folder_).value()) {}

  const Row& row() const { return all_.rows[0]; }
  Recipe recipe(std::uint64_t seed) const {
    Json checksums = Json::object();
    return recipe_of(all_, row(), seed, folder_, checksums).value();
  }
  Json run_of(const Recipe& recipe, double accuracy) const {
    const Json budget = {{"budget", 0.5}, {"work", 0.5}, {"accuracy", 0.5}, {"skim_rate", 0.5}};
    const Json threshold = {{"accuracy", 0.5}, {"flop_reduction", {{"counted", 2.0}}}};
    const Json look = {{"step", 500}, {"accuracy", 0.5}, {"skim_rate", 0.5}};
    const Json pass = {{"reader", "0.forward"}, {"skim_rate", 0.5}};
    return {{"seed", recipe.seed},
            {"options", recipe.options},
            {"data", recipe.data},
            {"commit", "abc"},
            {"date", "2020-02-02"},
            {"machine", {{"cpu", "a processor"}, {"cores", 2}, {"simd", "AVX2"}}},
            {"training", {{"steps", 10}, {"seconds", 1.5}}},
            {"dev", {{"accuracy", 0.5}, {"looks", Json::array({look})}}},
            {"test", {{"accuracy", accuracy}, {"skim_rate", 0.5}, {"passes", Json::array({pass})}}},
            {"budgets", Json::array({budget})},
            {"thresholds", Json::array({threshold})}};
  }
  void store(const Json& run) const {
    const auto stored = store_run(folder_ / "results", row(), run, folder_ / "lock");
    ASSERT_TRUE(stored) << stored.error().message;
  }
  Json report() const { return load_report(folder_ / "results", row()).value(); }

  Experiments all_;
};

TEST_F(StoreTest, FindsARunByItsRecipe) {
  store(run_of(recipe(2), 0.5));
  store(run_of(recipe(1), 0.25));
  const Json found = report();
  ASSERT_NE(find_run(found, recipe(1)), nullptr);
  EXPECT_EQ((*find_run(found, recipe(1)))["test"]["accuracy"], 0.25);
  EXPECT_EQ(find_run(found, recipe(3)), nullptr);
  EXPECT_EQ(found["runs"][0]["seed"], 1) << "seeds are in order";
}

TEST_F(StoreTest, ChangedOptionsOrDataMakeARunAnotherOne) {
  const Recipe before = recipe(1);
  store(run_of(before, 0.5));
  Recipe other = before;
  other.options["batch"] = 17;
  EXPECT_EQ(find_run(report(), other), nullptr);
  EXPECT_NE(other.digest(), before.digest());
  put("train.tsv", "x\tanother word\n");
  EXPECT_EQ(find_run(report(), recipe(1)), nullptr);
  EXPECT_NE(recipe(1).digest(), before.digest());
}

TEST_F(StoreTest, ANewRunTakesThePlaceOfItsSeed) {
  store(run_of(recipe(1), 0.5));
  store(run_of(recipe(1), 0.75));
  const Json found = report();
  ASSERT_EQ(found["runs"].size(), 1U);
  EXPECT_EQ(found["runs"][0]["test"]["accuracy"], 0.75);
}

TEST_F(StoreTest, ADamagedReportIsAnErrorAndStays) {
  put("results/a.json", "{\"runs\": [{}]}");
  EXPECT_FALSE(load_report(folder_ / "results", row()));
  EXPECT_FALSE(store_run(folder_ / "results", row(), run_of(recipe(1), 1), folder_ / "lock"));
  EXPECT_EQ(read_text(folder_ / "results/a.json").value(), "{\"runs\": [{}]}");
}

// Whoever writes a report relies on every field; one that was edited by hand may lack any.
TEST_F(StoreTest, AnyMissingFieldOfARunIsAnErrorThatNamesIt) {
  const Json whole = {{"row", "a"}, {"runs", Json::array({run_of(recipe(1), 0.5)})}};
  put("results/a.json", to_text(whole));
  ASSERT_TRUE(load_report(folder_ / "results", row()));
  const Json fields = whole["runs"][0].flatten();
  for (const auto& [path, unused] : fields.items()) {
    if (path.starts_with("/options") || path.starts_with("/data")) continue;
    Json broken = whole;
    const Json::json_pointer at(path);
    broken["runs"][0][at.parent_pointer()].erase(at.back());
    put("results/a.json", to_text(broken));
    const auto report = load_report(folder_ / "results", row());
    ASSERT_FALSE(report) << path;
    EXPECT_THAT(report.error().message, AllOf(HasSubstr("a.json"), HasSubstr(at.back()))) << path;
  }
}

TEST_F(StoreTest, ALockIsHeldByOneAndFreedWhenItGoes) {
  {
    const auto first = FileLock::take(folder_ / "lock", Wait::no);
    ASSERT_TRUE(first && first->has_value());
    const auto second = FileLock::take(folder_ / "lock", Wait::no);
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->has_value());
  }
  const auto third = FileLock::take(folder_ / "lock", Wait::no);
  EXPECT_TRUE(third && third->has_value());
}

TEST_F(StoreTest, BeginsWithTheSameSeedAndOnOtherDataWithTheFirst) {
  put("b.json", R"({"title": "B", "set": "tiny", "seeds": [2], "train": {"start-from": "a"}})");
  put("c.json", R"({"title": "C", "set": "other", "seeds": [2, 7], "train": {"start-from": "a"}})");
  const Experiments all = load_experiments(folder_).value();
  const auto start_of = [&](std::size_t row, std::uint64_t seed) {
    Json checksums = Json::object();
    return recipe_of(all, all.rows[row], seed, folder_, checksums).value().start.at(0).seed;
  };
  EXPECT_EQ(start_of(1, 2), 2U);
  EXPECT_EQ(start_of(2, 2), 1U);
  EXPECT_EQ(start_of(2, 7), 1U);
}

TEST_F(StoreTest, AnotherTeacherMakesAnotherRun) {
  put("taught.json", R"({"title": "T", "set": "tiny", "seeds": [1], "train": {"teacher": ")" +
                         row().name + R"("}})");
  const auto recipe_of_taught = [&] {
    const Experiments all = load_experiments(folder_).value();
    const Row& taught = *std::find_if(all.rows.begin(), all.rows.end(),
                                      [](const Row& one) { return one.name == "taught"; });
    Json checksums = Json::object();
    return recipe_of(all, taught, 1, folder_, checksums).value();
  };
  const Recipe before = recipe_of_taught();
  EXPECT_EQ(before.teachers.size(), row().seeds.size());
  put(row().name + ".json",
      R"({"title": "A", "set": "tiny", "seeds": [1], "train": {"gamma": 9}})");
  EXPECT_NE(recipe_of_taught().digest(), before.digest());
}

TEST_F(StoreTest, ARunBeginsWithTheModelOfItsOwnSeed) {
  put("a.json", R"({"title": "A", "set": "tiny", "seeds": [1, 2], "train": {"gamma": 1}})");
  put("b.json", R"({"title": "B", "set": "tiny", "seeds": [2], "train": {"start-from": "a"}})");
  const Experiments all = load_experiments(folder_).value();
  const Row& row = *std::find_if(all.rows.begin(), all.rows.end(),
                                 [](const Row& one) { return one.name == "b"; });
  Json checksums = Json::object();
  const Recipe made = recipe_of(all, row, 2, folder_, checksums).value();
  ASSERT_EQ(made.start.size(), 1U);
  EXPECT_EQ(made.start[0].seed, 2U);
  EXPECT_EQ(made.data["a seed 2"], made.start[0].digest());
  EXPECT_THAT(option_arguments(made.options), testing::Not(testing::Contains("--start-from")));
}

TEST_F(StoreTest, AMissingDataFileIsNamed) {
  fs::remove(folder_ / "dev.tsv");
  Json checksums = Json::object();
  const auto made = recipe_of(all_, row(), 1, folder_, checksums);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("dev.tsv"));
}

}  // namespace
}  // namespace skim

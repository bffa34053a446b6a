#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "train/options_rules.h"
#include "train/options_table.h"
#include "train/training_config.h"

namespace skim::train {
namespace {

using testing::HasSubstr;

TEST(OptionsTable, NamesAreUniqueAndHelpIsGiven) {
  const Job job;
  std::set<std::string_view> names;
  visit_options(job, [&](const OptionInfo& option, const auto&) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.name.starts_with("--")) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
  });
  EXPECT_GT(names.size(), 50U);
}

TEST(OptionsTable, RangesSayWhatTheyContain) {
  EXPECT_EQ(at_least(1).text(), "at least 1");
  EXPECT_EQ(above(0).text(), "above 0");
  EXPECT_EQ(kFraction.text(), "from 0 to 1");
  EXPECT_EQ(kBelowOne.text(), "at least 0 and below 1");
  EXPECT_EQ(Range{}.text(), "");
  EXPECT_FALSE(above(0).contains(0));
  EXPECT_FALSE(kBelowOne.contains(1));
  EXPECT_EQ(kDuration.text(), "above 0 and at most 604800");
  EXPECT_FALSE(Range{}.contains(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Range{}.contains(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(at_least(0).contains(std::numeric_limits<double>::infinity()));
}

TEST(TrainingConfig, StoresOptionsByTheirNames) {
  Job job;
  job.fit.estimator = Estimator::straight_through;
  const Json json = options_json(job);
  EXPECT_EQ(json["batch_size"], 32);
  EXPECT_EQ(json["estimator"], "straight-through");
  EXPECT_TRUE(json["target_rate"].is_null());
  EXPECT_FALSE(json.contains("threads"));
}

TEST(TrainingConfig, OnlyTheEndOfTrainingMayChangeOnResume) {
  const Job job;
  Job longer = job, other = job;
  longer.fit.max_steps = 7;
  longer.fit.patience_steps = 9;
  other.fit.batch_size = 7;
  EXPECT_TRUE(can_resume(options_json(job), options_json(longer)));
  EXPECT_FALSE(can_resume(options_json(job), options_json(other)));
}

TEST(TrainingConfig, NothingMayChangeOnResumeWithFullPretraining) {
  Job job;
  job.fit.pretrain_fully = true;
  Job longer = job;
  longer.fit.max_steps = 7;
  EXPECT_TRUE(can_resume(options_json(job), options_json(job)));
  EXPECT_FALSE(can_resume(options_json(job), options_json(longer)));
}

TEST(OptionsRules, NameTheOptionsThatDoNotFit) {
  Job job;
  EXPECT_THAT(check_options(job).value(), HasSubstr("--train is missing"));
  job.train = {"train.tsv"};
  EXPECT_FALSE(check_options(job).has_value());
  job.distillation_crops = 2;
  EXPECT_THAT(check_options(job).value(), HasSubstr("needs a --teacher"));
}

TEST(OptionsRules, ResolveWhatOptionsImply) {
  Job job;
  job.random_crop = job.freeze_embeddings = true;
  job.spec.reader.kind = ReaderKind::lstm_jump;
  job.jump = {1, 2, 3};
  job.jump_in_training = {4, 5};
  resolve_options(job);
  EXPECT_EQ(job.fit.crop_size, job.max_words);
  EXPECT_EQ(job.fit.adam.embedding_lr_scale, 0);
  EXPECT_TRUE(job.spec.reader.skim_sizes.empty());
  EXPECT_EQ(job.spec.reader.jump.max_jump, 2);
  EXPECT_EQ(job.fit.jump.tokens_per_jump, 4);
  EXPECT_EQ(job.fit.jump.max_jumps, 5);
}

}  // namespace
}  // namespace skim::train

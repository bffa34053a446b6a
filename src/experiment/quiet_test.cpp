#include "experiment/quiet.h"

#include <gtest/gtest.h>

namespace skim {
namespace {

TEST(ProcessorTime, CountsAllButIdleAndWaitingAsBusy) {
  const auto time = processor_time("cpu  10 20 30 400 50 1 2 3 99 99\ncpu0 1 1 1 1\n");
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(time->busy, 10 + 20 + 30 + 1 + 2 + 3);
  EXPECT_EQ(time->all, time->busy + 400 + 50);
}

TEST(ProcessorTime, AnotherFileIsAnError) {
  EXPECT_FALSE(processor_time(""));
  EXPECT_FALSE(processor_time("intr 1 2 3\n"));
  EXPECT_FALSE(processor_time("cpu\n"));
}

TEST(BusyProcessors, IsNotMoreThanThereAre) {
  const auto busy = busy_processors(0.05);
  ASSERT_TRUE(busy) << busy.error().message;
  EXPECT_GE(*busy, 0);
  EXPECT_LE(*busy, 4096);
}

}  // namespace
}  // namespace skim

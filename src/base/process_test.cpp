#include "base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace skim {
namespace {

using testing::HasSubstr;

TEST(RunProgram, KeepsWhatItSays) {
  const auto ended = run_program({{"printf", "%s-%s", "a b", "c"}, ""});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->status, 0);
  EXPECT_EQ(ended->output, "a b-c");
}

// More than a pipe holds, both ways at once.
TEST(RunProgram, FeedsAndListensAtTheSameTime) {
  const std::string much(1 << 20, 'x');
  const auto ended = run_program({{"cat"}, much});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->output, much);
}

TEST(RunProgram, AProgramThatDoesNotListenEndsAllTheSame) {
  const std::string much(1 << 20, 'x');
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto ended = run_program({{"true"}, much});
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->status, 0);
}

TEST(RunProgram, TellsExitCodesAndSignals) {
  EXPECT_EQ(run_program({{"sh", "-c", "exit 7"}, ""})->status, 7);
  EXPECT_EQ(run_program({{"sh", "-c", "kill -9 $$"}, ""})->status, 128 + SIGKILL);
}

TEST(RunProgram, AMissingProgramIsAnErrorThatNamesIt) {
  const auto ended = run_program({{"no-such-program-of-ours"}, ""});
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("no-such-program-of-ours"));
}

TEST(RunProgram, HandsASignalOnAndWaits) {
  std::thread asking([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(::getpid(), SIGTERM);
  });
  const auto ended = run_program(
      {{"sh", "-c", "trap 'echo put aside; exit 3' TERM; while :; do sleep 0.05; done"}, ""});
  asking.join();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->status, 3);
  EXPECT_EQ(ended->output, "put aside\n");
}

}  // namespace
}  // namespace skim

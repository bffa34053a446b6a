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

TEST(RunProgram, CapturesTheOutput) {
  const auto result = run_program({{"printf", "%s-%s", "a b", "c"}, ""});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(result->output, "a b-c");
}

// More than the capacity of a pipe, in both directions.
TEST(RunProgram, WritesAndReadsConcurrently) {
  const std::string much(1 << 20, 'x');
  const auto result = run_program({{"cat"}, much});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, much);
}

TEST(RunProgram, ProgramMayIgnoreItsInput) {
  const std::string much(1 << 20, 'x');
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto result = run_program({{"true"}, much});
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 0);
}

TEST(RunProgram, ReportsExitCodesAndSignals) {
  EXPECT_EQ(run_program({{"sh", "-c", "exit 7"}, ""})->status, 7);
  EXPECT_EQ(run_program({{"sh", "-c", "kill -9 $$"}, ""})->status, 128 + SIGKILL);
}

TEST(RunProgram, MissingProgramIsNamed) {
  const auto result = run_program({{"no-such-program"}, ""});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("no-such-program"));
}

TEST(RunProgram, ForwardsASignalAndWaits) {
  std::thread signaller([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(::getpid(), SIGTERM);
  });
  const auto result = run_program(
      {{"sh", "-c", "trap 'echo saved; exit 3' TERM; while :; do sleep 0.05; done"}, ""});
  signaller.join();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->output, "saved\n");
}

}  // namespace
}  // namespace skim

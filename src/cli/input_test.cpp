#include "cli/input.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace skim::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends_[0]);
    close();
  }
  void write(std::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  int out() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
};

TEST(LineReader, ReturnsCompleteLinesWhenTheInputPauses) {
  Pipe pipe;
  LineReader lines(pipe.out());
  pipe.write("one\ntwo\nthr");
  EXPECT_THAT(lines.next_block().value(), ElementsAre("one", "two"));
  pipe.write("ee\n");
  EXPECT_THAT(lines.next_block().value(), ElementsAre("three"));
  EXPECT_EQ(lines.first_line(), 3U);
}

TEST(LineReader, AcceptsAnUnterminatedLastLine) {
  Pipe pipe;
  LineReader lines(pipe.out());
  pipe.write("one\ntwo");
  pipe.close();
  EXPECT_THAT(lines.next_block().value(), ElementsAre("one", "two"));
  EXPECT_THAT(lines.next_block().value(), ElementsAre());
}

TEST(LineReader, KeepsEmptyLines) {
  Pipe pipe;
  LineReader lines(pipe.out());
  pipe.write("\n\r\na\n");
  pipe.close();
  EXPECT_THAT(lines.next_block().value(), ElementsAre("", "", "a"));
}

TEST(LineReader, ReturnsNothingForEmptyInput) {
  Pipe pipe;
  LineReader lines(pipe.out());
  pipe.close();
  EXPECT_THAT(lines.next_block().value(), ElementsAre());
}

TEST(LineReader, RespectsTheBlockLimits) {
  Pipe pipe;
  LineReader lines(pipe.out(), {2, 1000, 1000});
  pipe.write("a\nb\nc\nd\ne");
  pipe.close();
  EXPECT_THAT(lines.next_block().value(), ElementsAre("a", "b"));
  EXPECT_THAT(lines.next_block().value(), ElementsAre("c", "d"));
  EXPECT_EQ(lines.first_line(), 3U);
  EXPECT_THAT(lines.next_block().value(), ElementsAre("e"));
  EXPECT_EQ(lines.first_line(), 5U);
}

#ifdef F_GETPIPE_SZ
TEST(LineReader, ReturnsALargeBlockOfAPipeThatWasFullBefore) {
  Pipe pipe;
  LineReader lines(pipe.out());
  const std::size_t count = 400;
  const std::size_t bytes = count * 1001;
  if (static_cast<std::size_t>(::fcntl(pipe.out(), F_GETPIPE_SZ)) < bytes)
    GTEST_SKIP() << "this system does not enlarge pipes";
  for (std::size_t i = 0; i < count; ++i) pipe.write(std::string(1000, 'a') + "\n");
  EXPECT_EQ(lines.next_block()->size(), count);
}
#endif

TEST(LineReader, ReportsTheNumberOfAnOverlongLineAfterTheLinesBeforeIt) {
  for (const std::string overlong : {"nine char\nend\n", "nine char", "never ending"}) {
    Pipe pipe;
    LineReader lines(pipe.out(), {100, 1000, 8});
    pipe.write("short\nexactly8\n" + overlong);
    EXPECT_THAT(lines.next_block().value(), ElementsAre("short", "exactly8"));
    const auto block = lines.next_block();
    ASSERT_FALSE(block);
    EXPECT_THAT(block.error().message, HasSubstr("line 3 is longer than 8 bytes"));
  }
}

TEST(LineReader, AcceptsALastLineOfTheMaximumLength) {
  Pipe pipe;
  LineReader lines(pipe.out(), {100, 1000, 8});
  pipe.write("exactly8");
  pipe.close();
  EXPECT_THAT(lines.next_block().value(), ElementsAre("exactly8"));
  EXPECT_THAT(lines.next_block().value(), ElementsAre());
}

TEST(LineReader, ReportsABadDescriptor) { EXPECT_FALSE(LineReader(-1).next_block()); }

}  // namespace
}  // namespace skim::cli

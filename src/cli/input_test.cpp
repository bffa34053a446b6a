#include "cli/input.h"

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

TEST(LineReader, ReportsTheNumberOfAnOverlongLine) {
  Pipe pipe;
  LineReader lines(pipe.out(), {100, 1000, 8});
  pipe.write("short\nmuch longer than eight\n");
  EXPECT_TRUE(lines.next_block()) << "a complete line may be longer";
  pipe.write("never ending");
  const auto block = lines.next_block();
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().message, HasSubstr("line 3"));
}

TEST(LineReader, ReportsABadDescriptor) { EXPECT_FALSE(LineReader(-1).next_block()); }

}  // namespace
}  // namespace skim::cli

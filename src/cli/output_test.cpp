#include "cli/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace skim::cli {
namespace {

using namespace std::string_literals;

TEST(Printable, KeepsOrdinaryText) {
  EXPECT_EQ(printable("caf\u00E9 \u4E2D\u6587 \U0001F600 ok"),
            "caf\u00E9 \u4E2D\u6587 \U0001F600 ok");
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b") << "the one-character form of ESC [";
}

TEST(Printable, EscapesBidirectionalControls) {
  EXPECT_EQ(printable("\u202E"), "\\xe2\\x80\\xae");
  EXPECT_EQ(printable("\u2066"), "\\xe2\\x81\\xa6");
}

TEST(Printable, ReplacesInvalidUtf8) {
  EXPECT_EQ(printable("a\xFF"), "a\uFFFD");
  EXPECT_EQ(printable("\xC3"), "\uFFFD");
  EXPECT_EQ(printable("\xE2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xC0\xAF"), "\uFFFD\uFFFD") << "an overlong form";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half a surrogate pair";
  EXPECT_EQ(printable("\xF5\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond the last one";
}

TEST(Printable, PrintableLinesKeepsNewlinesAndTabs) {
  EXPECT_EQ(printable("a\n\tb"), "a\\x0a\\x09b");
  EXPECT_EQ(printable_lines("a\n\tb\r"), "a\n\tb\\x0d");
}

TEST(WriteAll, ReportsAFullDisk) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const auto written = write_all(full, "text");
  ::close(full);
  ASSERT_FALSE(written);
  EXPECT_FALSE(is_closed_pipe(written.error()));
  EXPECT_THAT(written.error().message, testing::HasSubstr("cannot write"));
}

TEST(WriteAll, RecognizesAClosedPipe) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto written = write_all(ends[1], "text");
  ::close(ends[1]);
  ASSERT_FALSE(written);
  EXPECT_TRUE(is_closed_pipe(written.error()));
}

}  // namespace
}  // namespace skim::cli

#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/table.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FormatProgressBar, ShowsPercentageAndTimeLeft) {
  const std::string text = format_progress_bar("eval", 0.5, 10, 80);
  EXPECT_THAT(text, HasSubstr(" 50%"));
  EXPECT_THAT(text, HasSubstr("10 s left"));
}

TEST(FormatProgressBar, HasNoEstimateAtTheStart) {
  EXPECT_THAT(format_progress_bar("eval", 0.01, 0.1, 80), Not(HasSubstr("left")));
}

TEST(FormatProgressBar, FitsAnyWidth) {
  for (std::size_t width = 0; width < 120; ++width) {
    EXPECT_LE(format_progress_bar("calibrating", 0.3, 100, width).size(), width);
  }
}

TEST(FormatProgressBar, ClampsTheFraction) {
  EXPECT_THAT(format_progress_bar("x", 7, 1, 80), HasSubstr("100%"));
  EXPECT_THAT(format_progress_bar("x", -1, 1, 80), HasSubstr("0%"));
}

TEST(FormatCells, FillsInProportionToTheFraction) {
  EXPECT_EQ(format_cells(0.5, 10), "[#####.....]");
  EXPECT_EQ(format_cells(2, 4), "[####]");
}

TEST(TableText, AlignsColumnsAndDropsTrailingSpace) {
  const Table table{{"name", "n"}, {{"\u00E9", "10"}, {"long name", "5"}}};
  EXPECT_EQ(table_text(table), "name        n\n\u00E9          10\nlong name   5\n");
}

}  // namespace
}  // namespace skim::cli

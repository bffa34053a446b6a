#include "cli/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace skim::cli {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart chart_of(std::vector<ChartPoint> points, Scale scale = Scale::linear) {
  Chart chart;
  chart.title = "a <title>";
  chart.x = {"x", Unit::plain, scale};
  chart.y = {"y", Unit::percent, Scale::linear};
  chart.series.push_back({"name", std::move(points), Line::solid, 0});
  return chart;
}

TEST(LinearTicks, AreRoundAndCoverTheRange) {
  EXPECT_THAT(linear_ticks(0, 1, 5),
              ElementsAre(DoubleEq(0), DoubleEq(0.2), DoubleEq(0.4), DoubleEq(0.6000000000000001),
                          DoubleEq(0.8), DoubleEq(1)));
  const auto ticks = linear_ticks(0.873, 0.911, 6);
  EXPECT_LE(ticks.front(), 0.873);
  EXPECT_GE(ticks.back(), 0.911);
}

TEST(LinearTicks, OneValueStillGetsAScale) {
  for (const double value : {0.0, 1.0, -3.0}) {
    const auto ticks = linear_ticks(value, value, 6);
    EXPECT_GT(ticks.size(), 1U);
    EXPECT_LT(ticks.front(), value);
    EXPECT_GT(ticks.back(), value);
  }
}

TEST(LogarithmicTicks, AreRoundAndLieInTheRange) {
  EXPECT_THAT(logarithmic_ticks(0.9, 11), ElementsAre(1, 2, 5, 10));
  EXPECT_THAT(logarithmic_ticks(30, 300), ElementsAre(50, 100, 200));
}

TEST(LogarithmicTicks, ANarrowRangeStillGetsTwo) {
  const auto ticks = logarithmic_ticks(1.31, 1.58);
  ASSERT_GT(ticks.size(), 1U);
  EXPECT_GE(ticks.front(), 1.31);
  EXPECT_LE(ticks.back(), 1.58);
}

TEST(Chart, HasAMarkAndANoteForEachPoint) {
  const std::string html = chart_html(chart_of({{0, 0.5, {"first"}}, {1, 0.75, {"second"}}}));
  EXPECT_THAT(html, HasSubstr("aria-label=\"first\""));
  EXPECT_THAT(html, HasSubstr(">second</text>"));
  EXPECT_THAT(html, HasSubstr("a &lt;title&gt;"));
}

TEST(Chart, NeverWritesWhatIsNotANumber) {
  for (const auto& points : {std::vector<ChartPoint>{}, {{1, 1, {}}}, {{1, 1, {}}, {1, 1, {}}}}) {
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
      const std::string html = chart_html(chart_of(points, scale));
      EXPECT_THAT(html, Not(HasSubstr("nan")));
      EXPECT_THAT(html, Not(HasSubstr("inf")));
    }
  }
}

TEST(Chart, SharesNeverGoBeyondOne) {
  const std::string html = chart_html(chart_of({{0, 1, {}}, {1, 1, {}}}));
  EXPECT_THAT(html, HasSubstr(">100"));
  EXPECT_THAT(html, Not(HasSubstr(">101")));
  EXPECT_THAT(html, Not(HasSubstr(">110")));
}

TEST(Chart, FetchesNothing) {
  const std::string html = chart_html(chart_of({{0, 0.5, {"note"}}}));
  EXPECT_THAT(html, Not(HasSubstr("http")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace skim::cli

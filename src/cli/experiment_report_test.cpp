#include "cli/experiment_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/document.h"
#include "cli/experiment_figures.h"
#include "cli/experiment_summary.h"
#include "cli/gnuplot.h"

namespace skim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SpreadOf, TakesTheRunsThatHaveTheNumber) {
  const std::vector<Json> runs = {
      {{"test", {{"accuracy", 0.5}}}}, {{"test", {{"accuracy", 1.0}}}}, {{"test", 3}}};
  const auto spread = spread_of(runs, "test/accuracy");
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->mean, 0.75);
  EXPECT_EQ(spread->low, 0.5);
  EXPECT_EQ(spread->high, 1.0);
  EXPECT_FALSE(spread_of(runs, "test/speed"));
}

RowSummary summary_of(const std::string& name, Json options, double accuracy) {
  Row row;
  row.name = row.title = name;
  row.set = "tiny";
  row.seeds = {1};
  row.options = std::move(options);
  return {row, {{{"seed", 1}, {"test", {{"accuracy", accuracy}, {"skim_rate", 0.5}}}}}};
}

TEST(ExperimentFigures, JoinRowsThatDifferInOneOptionAlone) {
  const std::vector<RowSummary> all = {summary_of("b", {{"gamma", 0.02}, {"small", 20}}, 0.75),
                                       summary_of("a", {{"small", 5}, {"gamma", 0.02}}, 0.5),
                                       summary_of("c", {{"gamma", 0.02}, {"small", "50"}}, 1.0),
                                       summary_of("d", {{"gamma", 0.5}, {"small", 10}}, 0.0)};
  const auto figures = experiment_figures(all, "no-such-folder");
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_EQ(figures->size(), 2U) << "accuracy and skim rate by d'; gamma has no three rows";
  const auto& points = (*figures)[0].chart.series.at(0).points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].x, 5);
  EXPECT_EQ(points[2].x, 50);
  EXPECT_EQ(points[2].y, 1.0);
}

TEST(ExperimentFigures, ShowEachLayerByGamma) {
  std::vector<RowSummary> all;
  for (const double gamma : {0.05, 0.1, 0.2}) {
    all.push_back(summary_of("g", {{"gamma", gamma}}, 0.5));
    all.back().runs[0]["test"]["passes"] = {{{"reader", "0.forward"}, {"skim_rate", gamma}},
                                            {{"reader", "0.backward"}, {"skim_rate", 0.5}}};
  }
  const auto figures = experiment_figures(all, "no-such-folder");
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_EQ(figures->size(), 3U) << "accuracy, skim rate and passes by gamma";
  const Chart& chart = figures->at(2).chart;
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "0.forward");
  ASSERT_EQ(chart.series[0].points.size(), 3U);
  EXPECT_EQ(chart.series[0].points[2].y, 0.2);
}

TEST(ExperimentFigures, ShowWhatPretrainingDoes) {
  std::vector<RowSummary> all = {summary_of("none", {{"small", 5}}, 0.5),
                                 summary_of("half", {{"small", 5}, {"start-from", "plain"}}, 0.5)};
  for (RowSummary& one : all) {
    one.row.group = "pretraining";
    one.runs[0]["dev"]["looks"] = {{{"step", 500}, {"accuracy", 0.25}, {"skim_rate", 0.75}},
                                   {{"step", 1000}, {"accuracy", 0.5}, {"skim_rate", 1.0}}};
    one.runs[0]["test"]["passes"] = {{{"reader", "0.forward"}, {"skim_rate", 0.125}},
                                     {{"reader", "0.backward"}, {"skim_rate", 0.5}}};
  }
  const auto figures = experiment_figures(all, "no-such-folder");
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_EQ(figures->size(), 3U) << "accuracy, skim rate and passes";
  for (const NamedChart& figure : *figures) {
    ASSERT_EQ(figure.chart.series.size(), 2U);
    EXPECT_EQ(figure.chart.series[1].name, "half");
    ASSERT_EQ(figure.chart.series[1].points.size(), 2U);
  }
  EXPECT_EQ(figures->at(0).chart.series[0].points[1].x, 1000);
  EXPECT_EQ(figures->at(0).chart.series[0].points[1].y, 0.5);
  EXPECT_EQ(figures->at(1).chart.series[0].points[0].y, 0.75);
  EXPECT_EQ(figures->at(2).chart.series[0].points[0].y, 0.125);
}

TEST(ExperimentFigures, SetSizesAndMethodsBesideEachOther) {
  std::vector<RowSummary> all = {summary_of("big", {{"reader", "full"}}, 0.75),
                                 summary_of("little", {{"reader", "full"}, {"hidden", 50}}, 0.5),
                                 summary_of("skim", {{"small", 5}}, 0.7)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].row.group = "table";
    all[i].runs[0]["test"]["operations_a_word"] = 4000.0 - 1000.0 * static_cast<double>(i);
  }
  const auto figures = experiment_figures(all, "no-such-folder");
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_EQ(figures->size(), 1U);
  const Chart& chart = figures->at(0).chart;
  EXPECT_THAT(gnuplot_script(chart), HasSubstr("with points"));
  EXPECT_THAT(chart_html(chart), Not(HasSubstr("<polyline")));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "full");
  ASSERT_EQ(chart.series[0].points.size(), 2U);
  EXPECT_EQ(chart.series[0].points[0].x, 3) << "the cheapest comes first";
}

Chart small_chart() {
  Chart chart;
  chart.title = "it's a `title`";
  chart.x = {"x", Unit::plain, Scale::linear};
  chart.y = {"y", Unit::percent, Scale::linear};
  chart.series.push_back({"one", {{1, 0.5, {}}, {2, 0.75, {}}}, Line::solid, 0});
  return chart;
}

TEST(GnuplotScript, HoldsDataInTheUnitOfItsAxis) {
  const std::string script = gnuplot_script(small_chart());
  EXPECT_THAT(script, HasSubstr("1 50\n2 75\n"));
}

// A title comes from a file of experiments; it must not become a command.
TEST(GnuplotScript, TextCannotLeaveItsQuotes) {
  Chart chart = small_chart();
  chart.title = "a'\nsystem('touch x')";
  const std::string script = gnuplot_script(chart);
  EXPECT_THAT(script, HasSubstr("'a'' system(''touch x'')'"));
  EXPECT_THAT(script, Not(HasSubstr("\nsystem")));
}

TEST(Document, BecomesMarkdownAndAPage) {
  Document document;
  document.title = "T & U";
  Section section;
  section.heading = "H";
  section.paragraphs = {"run `skim < x`"};
  section.table = {{"a", "b"}, {{"1|2", "3"}}};
  section.drawings = {{"f.svg", "F", "<?xml?><svg>drawn</svg>"}};
  section.texts = {{"kept", {{"good", true}, {" film*", false}}}};
  document.sections.push_back(section);
  const std::string markdown = markdown_text(document, "figures");
  EXPECT_THAT(markdown, HasSubstr("| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n"));
  EXPECT_THAT(markdown, HasSubstr("![F](figures/f.svg)"));
  EXPECT_THAT(markdown, HasSubstr("- kept: **good** film\\*"));
  const std::string page = html_text(document);
  EXPECT_THAT(page, HasSubstr("T &amp; U"));
  EXPECT_THAT(page, HasSubstr("<code>skim &lt; x</code>"));
  EXPECT_THAT(page, HasSubstr("<figure><svg>drawn</svg></figure>"));
  EXPECT_THAT(page, HasSubstr("<mark>good</mark> film*"));
  EXPECT_THAT(page, Not(HasSubstr("<?xml")));
}

}  // namespace
}  // namespace skim::cli

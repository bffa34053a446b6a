#include "cli/reliability_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Report sample_report() {
  Report report;
  report.model = "a<b>.skim";
  report.data = "R&D.tsv";
  report.examples = 3;
  ConfidenceMeter meter;
  Reading reading;
  for (const float score : {0.6F, 0.8F, 0.97F}) {
    reading.scores = {1 - score, score};
    reading.answer = {"good", 1, score};
    meter.add(reading, score < 0.7F ? 0 : 1);
  }
  report.confidence = meter.report(1.25, {});
  return report;
}

TEST(ReliabilityPage, NeedsNothingFromElsewhere) {
  const std::string page = reliability_page(sample_report());
  for (const char* word : {"http:", "https:", "src=", "href=", "<script", "url("})
    EXPECT_THAT(page, Not(HasSubstr(word)));
}

TEST(ReliabilityPage, DescribesItsPicturesInWordsAndNumbers) {
  const std::string page = reliability_page(sample_report());
  EXPECT_THAT(page, HasSubstr("<title id=\"reliability-t\">Reliability diagram</title>"));
  EXPECT_THAT(page, HasSubstr("<desc id=\"risk-d\">"));
  EXPECT_THAT(page, HasSubstr("<td>60 % to 67 %</td><td>60.0 %</td><td>0.0 %</td><td>1</td>"));
  EXPECT_THAT(page, HasSubstr("<td>66.7 %</td><td>100.00 %</td><td>0.800000</td>"));
  EXPECT_THAT(page, HasSubstr("Temperature 1.2500"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(ReliabilityPage, EscapesNames) {
  EXPECT_THAT(reliability_page(sample_report()), HasSubstr("<h1>a&lt;b>.skim on R&amp;D.tsv</h1>"));
}

TEST(ReliabilityPage, NoTextsGiveEmptyDiagrams) {
  Report report = sample_report();
  report.confidence = ConfidenceMeter().report(1, {});
  EXPECT_THAT(reliability_page(report), HasSubstr("class=\"curve\" points=\"\""));
}

}  // namespace
}  // namespace skim::cli

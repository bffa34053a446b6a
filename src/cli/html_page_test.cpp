#include "cli/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// The page of a text of one word.
std::string page_of(std::string_view text, std::string_view question = {}) {
  ModelSpec spec;
  spec.labels = {"bad", "good & <fine>"};
  Reading reading;
  reading.words = {{0, text.size()}};
  reading.scores = {0.25F, 0.75F};
  reading.answer = {spec.labels[1], 1, 0.75F};
  reading.trace = {{"0.forward", 100, {{100, 0.5F}}}};
  return html_page({text, reading, spec, "model.skim", Policy{}, 12, question}, "{}");
}

TEST(HtmlPage, InlinesEveryModuleOnceAfterTheModulesThatItImports) {
  const std::string page = page_of("a");
  for (const std::string_view declaration :
       {"\nfunction setText(", "\nclass Words ", "\nclass Pane ", "\nfunction showPage("}) {
    const std::size_t first = page.find(declaration);
    ASSERT_NE(first, page.npos) << declaration;
    EXPECT_EQ(page.find(declaration, first + 1), page.npos) << declaration;
  }
  EXPECT_LT(page.find("\nclass Words "), page.find("\nclass Pane "));
  EXPECT_THAT(page, Not(HasSubstr("\nimport ")));
  EXPECT_THAT(page, Not(HasSubstr("\nexport ")));
  EXPECT_THAT(page, Not(HasSubstr("fetch(")));
}

TEST(HtmlPage, OmitsThePartsThatNeedAServer) {
  const std::string page = page_of("a");
  EXPECT_THAT(page, Not(HasSubstr("server-->")));
  EXPECT_THAT(page, Not(HasSubstr("<textarea")));
  EXPECT_THAT(page, Not(HasSubstr("<input type=\"range\"")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"v1/")));
  EXPECT_THAT(page, HasSubstr("<template id=\"pane\">"));
}

TEST(HtmlPage, EscapesTheDataSoThatTextCannotEndIt) {
  const std::string page = page_of("</script><!--<script>", "\x1b</script>");
  EXPECT_THAT(
      page, HasSubstr(R"("text":"\u003c/script>\u003c!--\u003cscript>","question":"\u001b\u003c)"));
  EXPECT_THAT(page, HasSubstr(R"("label":"good & \u003cfine>")"));
}

TEST(HtmlPage, ReplacesInvalidBytesByOneCharacterEach) {
  EXPECT_THAT(page_of("\xff\xe2\x82 \xc3\xa9"), HasSubstr("\"query\":{\"text\":\"??? \xc3\xa9\""));
}

TEST(HtmlPage, HasAContentSecurityPolicy) {
  EXPECT_THAT(page_of("a"), HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
}

}  // namespace
}  // namespace skim::cli

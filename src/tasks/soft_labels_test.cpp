#include "tasks/soft_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/labels.h"
#include "tasks/load.h"

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kPolarity = {"bad", "good"};

Dataset loaded(std::string_view lines, LabelKind kind) {
  auto data = parse_examples(lines, "d", kind);
  EXPECT_TRUE(data) << data.error().message;
  return data ? std::move(*data) : Dataset{};
}

Dataset resolved(std::string_view lines, LabelKind kind) {
  Dataset data = loaded(lines, kind);
  const auto done = resolve_soft_labels(kPolarity, kind, data);
  EXPECT_TRUE(done) << done.error().message;
  return data;
}

std::string resolve_error(std::string_view lines) {
  Dataset data = loaded(lines, LabelKind::single);
  const auto done = resolve_soft_labels(kPolarity, LabelKind::single, data);
  return done ? "no error" : done.error().message;
}

TEST(SoftLabels, HaveThreeForms) {
  for (const char* scores : {R"({"good": 0.75, "bad": 0.25})", "[0.25, 0.75]",
                             R"([{"label":"good","score":0.75},{"label":"bad","score":0.25}])"}) {
    const Dataset data = resolved(
        std::string(R"({"text":"x","label":"bad","scores":)") + scores + "}", LabelKind::single);
    EXPECT_THAT(data.examples[0].probabilities, ElementsAre(0.25F, 0.75F));
    EXPECT_EQ(data.examples[0].label, "bad") << "a hard label stays";
    EXPECT_TRUE(data.examples[0].labelled);
  }
}

TEST(SoftLabels, OfOneLabelSumToOne) {
  const Dataset data = resolved(R"({"text":"x","scores":{"good":0.5}})", LabelKind::single);
  EXPECT_THAT(data.examples[0].probabilities, ElementsAre(0, 1));
}

TEST(SoftLabels, AloneGiveTheMostLikelyLabel) {
  const Dataset data = resolved(R"({"text":"x","scores":[0.4,0.6]})", LabelKind::single);
  EXPECT_EQ(data.examples[0].label, "good");
  EXPECT_FALSE(data.examples[0].labelled);
}

TEST(SoftLabels, AloneGiveAllLikelyLabels) {
  const Dataset both = resolved(R"({"text":"x","scores":[0.9,0.6]})", LabelKind::multiple);
  EXPECT_THAT(both.examples[0].labels, ElementsAre("bad", "good"));
  EXPECT_THAT(both.examples[0].probabilities, ElementsAre(0.9F, 0.6F));
  const Dataset none = resolved(R"({"text":"x","scores":{"bad":0.1}})", LabelKind::multiple);
  EXPECT_THAT(none.examples[0].labels, IsEmpty());
}

TEST(SoftLabels, NameLabels) {
  const Dataset data =
      loaded("{\"text\":\"x\",\"scores\":{\"b\":1}}\n{\"text\":\"x\",\"label\":\"a\"}\n",
             LabelKind::single);
  EXPECT_THAT(collect_labels(data), ElementsAre("a", "b"));
}

TEST(SoftLabels, ErrorsNameTheLine) {
  for (const char* scores : {"3", "[]", "{}", "[2]", R"(["a"])", R"({"a":-1})", R"([{"score":1}])"})
    EXPECT_THAT(
        parse_examples(std::string(R"({"text":"x","scores":)") + scores + "}", "d").error().message,
        HasSubstr("d: line 1: \"scores\" must be"))
        << scores;
  EXPECT_EQ(resolve_error(R"({"text":"x","scores":[1]})"),
            "d, line 1: \"scores\" has 1 probabilities, expected 2, one per label");
  EXPECT_THAT(resolve_error(R"({"text":"x","scores":{"so so":1}})"),
              HasSubstr("d, line 1: \"scores\" has the label 'so so'"));
  EXPECT_EQ(resolve_error(R"({"text":"x","scores":[0,0]})"), "d, line 1: \"scores\" are all 0");
}

}  // namespace
}  // namespace skim

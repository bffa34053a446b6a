#include "cli/about_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::cli {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(AboutFields, ShowsTheOptionsOfTheTrainerOneByOne) {
  EXPECT_THAT(
      about_fields(R"({"spec":{"net":"classifier"},"seed":1,"target_rate":0.8,)"
                   R"("jump":[20,40],"start_from":null,"resume":false,"estimator":"gumbel",)"
                   R"("adam":{"clip":5.0},"teachers":[]})"
                   "\nWeights changed from f32 to int8."),
      ElementsAre(Pair("seed", "1"), Pair("target_rate", "0.8"), Pair("jump", "20, 40"),
                  Pair("start_from", "none"), Pair("resume", "no"), Pair("estimator", "gumbel"),
                  Pair("adam.clip", "5.0"), Pair("teachers", "none"),
                  Pair("", "Weights changed from f32 to int8.")));
}

TEST(AboutFields, KeepsOtherTextLineByLine) {
  EXPECT_THAT(about_fields("planted model\n{\"a\":1}"),
              ElementsAre(Pair("", "planted model"), Pair("", "{\"a\":1}")));
  EXPECT_THAT(about_fields("{not json"), ElementsAre(Pair("", "{not json")));
  EXPECT_THAT(about_fields(""), ElementsAre());
}

}  // namespace
}  // namespace skim::cli

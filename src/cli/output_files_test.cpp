#include "cli/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace skim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A directory with the file "input" and links to it.
class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("output_files_test-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "below");
    std::ofstream(file("input")) << "content";
    fs::create_symlink("input", file("symbolic"));
    fs::create_hard_link(file("input"), file("hard"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / name; }
  std::string validate(const fs::path& output, const fs::path& input) const {
    return validate_outputs({{"--out", output}}, {{"--in", input}});
  }

  fs::path folder_;
};

TEST_F(OutputFiles, AnInputIsFoundByAnyNameAndLink) {
  for (const char* name : {"input", "below/../input", "symbolic", "hard"}) {
    EXPECT_THAT(validate(file(name), file("input")), HasSubstr("the same file as --in")) << name;
    EXPECT_THAT(validate(file("input"), file(name)), HasSubstr("the same file as --in")) << name;
  }
}

TEST_F(OutputFiles, OtherFilesAreValid) {
  std::ofstream(file("other")) << "content";
  EXPECT_EQ(validate(file("other"), file("input")), "");
  EXPECT_EQ(validate(file("new"), file("input")), "");
  EXPECT_EQ(validate(file("new"), file("new")), "");  // Opening the input will report it.
  EXPECT_EQ(validate({}, file("input")), "");
  EXPECT_EQ(validate(file("input"), {}), "");
}

TEST_F(OutputFiles, DevicesAreNotFiles) { EXPECT_EQ(validate("/dev/null", "/dev/null"), ""); }

TEST_F(OutputFiles, TwoOutputsMustDiffer) {
  const auto both = [](const fs::path& first, const fs::path& second) {
    return validate_outputs({{"--first", first}, {"--second", second}}, {});
  };
  EXPECT_THAT(both(file("new"), file("below/../new")), HasSubstr("the same file as --first"));
  EXPECT_THAT(both(file("hard"), file("input")), HasSubstr("the same file as --first"));
  EXPECT_EQ(both(file("new"), file("newer")), "");
  EXPECT_EQ(both({}, {}), "");
}

}  // namespace
}  // namespace skim::cli

#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"

namespace skim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "skim-file-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  fs::path in_folder(const char* name) const { return folder_ / name; }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  fs::path folder_;
};

template <class File>
std::string to_text_view(const File& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_F(FileTest, WrittenFileCanBeMappedAndRead) {
  const auto path = in_folder("a");
  ASSERT_TRUE(write_atomically(path, "some text"));
  const auto mapped = MappedFile::open(path);
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_EQ(to_text_view(*mapped), "some text");
  EXPECT_EQ(*read_text(path), "some text");
  EXPECT_THAT(entries(), ::testing::ElementsAre("a"));
}

TEST_F(FileTest, MappingSurvivesAMoveAndReplacementOfTheFile) {
  const auto path = in_folder("a");
  ASSERT_TRUE(write_atomically(path, "old"));
  auto mapped = MappedFile::open(path);
  ASSERT_TRUE(write_atomically(path, "new and longer"));
  const MappedFile moved = std::move(*mapped);
  EXPECT_EQ(to_text_view(moved), "old");
  EXPECT_EQ(*read_text(path), "new and longer");
}

TEST_F(FileTest, ACopyIsNotAffectedByOverwritingOrTruncatingTheFile) {
  const auto path = in_folder("a");
  const std::string old(100000, 'a');
  ASSERT_TRUE(write_atomically(path, old));
  auto copy = FileCopy::open(path);
  ASSERT_TRUE(copy) << copy.error().message;
  ASSERT_TRUE(copy->read_until(old.size()));
  std::fstream(path, std::ios::in | std::ios::out) << std::string(old.size(), 'b');
  EXPECT_EQ(to_text_view(*copy), old);
  fs::resize_file(path, 0);
  EXPECT_EQ(to_text_view(*copy), old);
}

TEST_F(FileTest, ACopyIsReadInParts) {
  const auto path = in_folder("a");
  ASSERT_TRUE(write_atomically(path, "some text"));
  auto copy = FileCopy::open(path);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(to_text_view(*copy), std::string(9, '\0'));
  ASSERT_TRUE(copy->read_until(4));
  EXPECT_EQ(to_text_view(*copy), "some" + std::string(5, '\0'));
  ASSERT_TRUE(copy->read_until(1000));
  const FileCopy moved = std::move(*copy);
  EXPECT_EQ(to_text_view(moved), "some text");
}

TEST_F(FileTest, AFileThatIsTruncatedWhileItIsCopiedIsAnError) {
  const auto path = in_folder("a");
  ASSERT_TRUE(write_atomically(path, "some text"));
  auto copy = FileCopy::open(path);
  ASSERT_TRUE(copy->read_until(2));
  fs::resize_file(path, 5);
  const auto result = copy->read_until(9);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("ends after 5 bytes, it had 9"));
}

TEST_F(FileTest, EmptyFileHasNoBytes) {
  const auto path = in_folder("empty");
  ASSERT_TRUE(write_atomically(path, ""));
  const auto mapped = MappedFile::open(path);
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(mapped->bytes().empty());
  auto copy = FileCopy::open(path);
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->read_until(8));
  EXPECT_TRUE(copy->bytes().empty());
  EXPECT_EQ(*read_text(path), "");
}

TEST_F(FileTest, ErrorsNameMissingFilesDirectoriesAndPipes) {
  const auto missing = in_folder("none");
  EXPECT_THAT(MappedFile::open(missing).error().message,
              HasSubstr(missing.string() + ": cannot open it: No such file"));
  EXPECT_THAT(FileCopy::open(missing).error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_text(missing).error().message, HasSubstr("No such file"));
  EXPECT_THAT(MappedFile::open(folder_).error().message, HasSubstr("is a directory"));
  EXPECT_THAT(read_text(folder_).error().message, HasSubstr("is a directory"));
  EXPECT_THAT(write_atomically(folder_, "x").error().message, HasSubstr("is a directory"));
  const auto pipe = in_folder("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::open(pipe).error().message, HasSubstr("is a pipe or device"));
  EXPECT_THAT(FileCopy::open(pipe).error().message, HasSubstr("is a pipe or device"));
  EXPECT_THAT(write_atomically(pipe, "x").error().message, HasSubstr("is a pipe or device"));
}

TEST_F(FileTest, WritingKeepsPermissionsAndFollowsLinks) {
  const auto path = in_folder("a");
  const auto link = in_folder("link");
  ASSERT_TRUE(write_atomically(path, "old"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  fs::create_symlink("a", link);
  ASSERT_TRUE(write_atomically(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_text(path), "new");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
}

TEST_F(FileTest, MissingDirectoryIsNamed) {
  const auto path = folder_ / "no" / "a";
  EXPECT_THAT(write_atomically(path, "x").error().message, HasSubstr((folder_ / "no").string()));
}

TEST_F(FileTest, WhatCannotBeWrittenIsFoundBeforeWriting) {
  EXPECT_TRUE(check_writable(in_folder("new")).has_value());
  EXPECT_TRUE(write_atomically(in_folder("old"), "content").has_value());
  EXPECT_TRUE(check_writable(in_folder("old")).has_value());
  EXPECT_EQ(*read_text(in_folder("old")), "content");
  EXPECT_THAT(entries(), UnorderedElementsAre("old")) << "it leaves no file";
  EXPECT_THAT(check_writable(in_folder("none/file")).error().message, HasSubstr("does it exist"));
  EXPECT_THAT(check_writable(in_folder("old") / "file").error().message,
              HasSubstr("Not a directory"));
  EXPECT_THAT(check_writable(folder_).error().message, HasSubstr("is a directory"));
  EXPECT_THAT(check_writable("/dev/null").error().message, HasSubstr("is a pipe or device"));
  EXPECT_FALSE(check_writable("").has_value());
}

TEST_F(FileTest, FailedWriteKeepsTheOldFileAndNothingElse) {
  const auto path = in_folder("a");
  ASSERT_TRUE(write_atomically(path, "old"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto result = write_atomically(path, std::string(5000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("the old file is untouched"));
  EXPECT_EQ(*read_text(path), "old");
  EXPECT_THAT(entries(), ::testing::ElementsAre("a"));
}

TEST_F(FileTest, RemovesOnlyAbandonedTemporaries) {
  const auto written = in_folder(".skim-1-0.tmp");
  for (const char* name : {"a", ".skim-1-1.tmp", ".skim-1-0.tmp", ".skim-notes"}) {
    std::ofstream(in_folder(name)) << "x";
  }
  {
    const FileDescriptor writer(::open(written.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(writer.number(), LOCK_EX), 0);
    remove_abandoned_temporaries(folder_);
    EXPECT_THAT(entries(), UnorderedElementsAre("a", ".skim-1-0.tmp", ".skim-notes"));
  }
  remove_abandoned_temporaries(folder_);
  EXPECT_THAT(entries(), UnorderedElementsAre("a", ".skim-notes"));
  remove_abandoned_temporaries(folder_ / "no");
}

TEST_F(FileTest, WritesWhileTemporariesAreRemoved) {
  {
    const std::jthread remover([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) remove_abandoned_temporaries(folder_);
    });
    for (int i = 0; i < 300; ++i) {
      const auto written = write_atomically(in_folder("a"), std::to_string(i));
      ASSERT_TRUE(written) << written.error().message;
    }
  }
  EXPECT_EQ(*read_text(in_folder("a")), "299");
  EXPECT_THAT(entries(), ::testing::ElementsAre("a"));
}

TEST_F(FileTest, DevicesCanBeReadAsText) { EXPECT_EQ(*read_text("/dev/null"), ""); }

}  // namespace
}  // namespace skim

#include "text/subwords.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "text/normalize.h"

namespace skim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::uint32_t fnv1a(std::string_view bytes) {
  std::uint32_t hash = 2166136261U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

std::vector<std::uint32_t> rows_of(std::string_view word, const SubwordSpec& spec) {
  SubwordHasher hasher(spec, TokenizerKind::english);
  hasher.set_word(word);
  const auto rows = hasher.rows();
  return {rows.begin(), rows.end()};
}

// The hashes of these n-grams, by another way than the hasher's.
std::vector<std::uint32_t> rows_of_ngrams(const std::vector<std::string>& ngrams, int buckets) {
  std::vector<std::uint32_t> rows;
  for (const std::string& each : ngrams)
    rows.push_back(fnv1a(each) % static_cast<std::uint32_t>(buckets));
  return rows;
}

TEST(Subwords, AreAllNgramsOfTheWordBetweenMarks) {
  EXPECT_EQ(rows_of("abc", {3, 4, 1000}),
            rows_of_ngrams({"<ab", "<abc", "abc", "abc>", "bc>"}, 1000));
}

TEST(Subwords, OfOneCharacterDoNotIncludeTheMarks) {
  EXPECT_EQ(rows_of("ab", {1, 2, 1000}), rows_of_ngrams({"<a", "a", "ab", "b", "b>"}, 1000));
}

TEST(Subwords, CountCharactersNotBytes) {
  EXPECT_EQ(rows_of("größe", {5, 5, 1000}), rows_of_ngrams({"<größ", "größe", "röße>"}, 1000));
}

TEST(Subwords, OfAWordAreThoseOfItsNormalizedForm) {
  const SubwordSpec spec{3, 6, 1000};
  EXPECT_EQ(rows_of("O\u2019BRIEN", spec), rows_of("o'brien", spec));
  EXPECT_EQ(rows_of("\xFFzz", spec), rows_of("\uFFFDzz", spec));
  SubwordHasher hasher(spec, TokenizerKind::english);
  EXPECT_EQ(hasher.set_word("ÄRGER"), "<" + normalize("ärger", TokenizerKind::english) + ">");
}

TEST(Subwords, OfAShortWordMayBeNone) {
  EXPECT_THAT(rows_of("a", {4, 6, 10}), IsEmpty());
  EXPECT_EQ(rows_of("a", {3, 6, 10}).size(), 1U);
}

TEST(Subwords, HashAsTheFileFormatSays) {
  EXPECT_EQ(fnv1a("<ab"), 1218209508U);
  EXPECT_THAT(rows_of("ab", {3, 3, 1 << 30}),
              ElementsAre(fnv1a("<ab") % (1U << 30), fnv1a("ab>") % (1U << 30)));
}

TEST(Subwords, TheMeanOfTheirRowsIsAddedToAVector) {
  const std::vector<float> table = {1, 2, 3, 4, 5, 6};
  std::vector<float> scratch(4), vector = {10, 20};
  const std::vector<std::uint32_t> rows = {0, 2, 2};
  add_mean_row(
      rows, 2, [&](std::uint32_t row, float* out) { std::copy_n(table.data() + 2 * row, 2, out); },
      scratch.data(), vector.data());
  EXPECT_FLOAT_EQ(vector[0], 10 + 11.0F / 3);
  EXPECT_FLOAT_EQ(vector[1], 20 + 14.0F / 3);
}

}  // namespace
}  // namespace skim

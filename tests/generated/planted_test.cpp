#include "tests/generated/planted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/generated/planted_words.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

std::vector<std::string> split_words(const std::string& text) {
  std::vector<TokenSpan> tokens;
  tokenize(text, TokenizerKind::english, tokens);
  std::vector<std::string> words;
  for (const TokenSpan& word : tokens) {
    std::string spelled = text.substr(word.begin, word.end - word.begin);
    for (char& c : spelled) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    words.push_back(std::move(spelled));
  }
  return words;
}

using Known = std::map<std::string, PlantedWord, std::less<>>;

Known vocabulary() {
  Known known;
  for (const PlantedWord& word : planted_words()) known.emplace(word.text, word);
  return known;
}

// Applies the label rule of planted.h to the text.
int polarity_sum(const std::vector<std::string>& words, const Known& known) {
  int sum = 0;
  int sign = 1;
  for (const std::string& word : words) {
    const PlantedWord& planted = known.at(word);
    if (planted.role == PlantedRole::negator) sign = -1;
    if (planted.strength == 0) continue;
    sum += (planted.role == PlantedRole::positive ? sign : -sign) * planted.strength;
    sign = 1;
  }
  return sum;
}

int expected_label(const std::vector<std::string>& words, const Known& known) {
  return polarity_sum(words, known) > 0 ? 1 : 0;
}

TEST(PlantedWords, AreDistinctAndAtLeastFortyPerPolarity) {
  std::map<PlantedRole, int> counts;
  std::set<std::string_view> different;
  for (const PlantedWord& word : planted_words()) {
    ++counts[word.role];
    different.insert(word.text);
  }
  EXPECT_GE(counts[PlantedRole::positive], 40);
  EXPECT_EQ(counts[PlantedRole::positive], counts[PlantedRole::negative]);
  EXPECT_GE(counts[PlantedRole::filler], 150);
  EXPECT_EQ(different.size(), planted_words().size());
}

TEST(PlantedWords, HaveOppositesOfTheSameStrength) {
  EXPECT_EQ(planted::mild_positive().size(), planted::mild_negative().size());
  EXPECT_EQ(planted::strong_positive().size(), planted::strong_negative().size());
}

TEST(PlantedText, HasTheRequestedLength) {
  for (const std::size_t words : {0U, 1U, 2U, 3U, 10U, 61U, 2000U}) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const PlantedText made = planted_text({.words = words}, i);
      EXPECT_EQ(split_words(made.text).size(), words) << made.text;
    }
  }
}

TEST(PlantedText, UsesKnownWordsAndFollowsTheLabelRule) {
  const Known known = vocabulary();
  for (std::uint64_t i = 0; i < 500; ++i) {
    const PlantedText made = planted_text({.words = 1 + i % 80}, i);
    const std::vector<std::string> words = split_words(made.text);
    for (const std::string& word : words) ASSERT_TRUE(known.contains(word)) << word;
    EXPECT_EQ(expected_label(words, known), made.label) << made.text;
  }
}

TEST(PlantedText, ListsTheDecisiveWords) {
  const Known known = vocabulary();
  for (std::uint64_t i = 0; i < 100; ++i) {
    const PlantedText made = planted_text({}, i);
    const std::vector<std::string> words = split_words(made.text);
    std::vector<std::size_t> decisive;
    for (std::size_t at = 0; at < words.size(); ++at) {
      if (known.at(words[at]).role != PlantedRole::filler) decisive.push_back(at);
    }
    EXPECT_EQ(decisive, made.decisive) << made.text;
    EXPECT_FALSE(made.decisive.empty());
  }
}

TEST(PlantedText, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(planted_text({.seed = 5}, 3).text, planted_text({.seed = 5}, 3).text);
  EXPECT_NE(planted_text({.seed = 5}, 3).text, planted_text({.seed = 6}, 3).text);
  EXPECT_NE(planted_text({.seed = 5}, 3).text, planted_text({.seed = 5}, 4).text);
}

TEST(PlantedText, IsStableAcrossVersions) {
  // Models, documents and reports quote these texts.
  EXPECT_EQ(
      planted_text({.seed = 1, .words = 24}, 0).text,
      "For the villain it isn't flat, and the distant narrator of the summer felt thoughtful. "
      "The letter of the sound was");
}

TEST(PlantedText, HasNoNegatorsWhenDisabled) {
  const Known known = vocabulary();
  for (std::uint64_t i = 0; i < 100; ++i) {
    const PlantedText made = planted_text({.negators = false}, i);
    for (const std::string& word : split_words(made.text)) {
      EXPECT_NE(known.at(word).role, PlantedRole::negator) << made.text;
    }
  }
}

TEST(PlantedText, HasANarrowMarginWhenRequested) {
  const Known known = vocabulary();
  for (std::uint64_t i = 0; i < 300; ++i) {
    const PlantedText made = planted_text({.words = 3 + i % 60, .narrow_margin = true}, i);
    const int sum = polarity_sum(split_words(made.text), known);
    EXPECT_THAT(std::abs(sum), testing::AnyOf(1, 2)) << made.text;
    EXPECT_EQ(made.label, sum > 0 ? 1 : 0);
  }
}

TEST(PlantedData, IsBalancedAndMostlyFiller) {
  std::size_t positive = 0;
  std::size_t decisive = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const PlantedText made = planted_text({}, i);
    positive += made.label == 1 ? 1 : 0;
    decisive += made.decisive.size();
  }
  EXPECT_NEAR(static_cast<double>(positive), 500, 50);  // three standard deviations
  const double share = static_cast<double>(decisive) / (1000 * 60);
  EXPECT_GT(share, 0.08);
  EXPECT_LT(share, 0.20);
}

TEST(PlantedData, HasLabelsAndLines) {
  const Dataset data = planted_data({.seed = 9}, 3);
  ASSERT_EQ(data.examples.size(), 3U);
  EXPECT_EQ(data.examples[2].line, 3U);
  EXPECT_EQ(data.examples[2].query.text, planted_text({.seed = 9}, 2).text);
  EXPECT_THAT(kPlantedLabels, testing::Contains(data.examples[0].label));
}

}  // namespace
}  // namespace skim

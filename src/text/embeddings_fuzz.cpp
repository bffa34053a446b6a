// Parses arbitrary bytes as word embeddings, whole and in part, and writes them again.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tests/support/fuzz.h"
#include "text/embeddings.h"

namespace {

using skim::PretrainedEmbeddings;
using skim::fuzz::require;

constexpr std::array<std::string_view, 3> kWanted = {"a", "the", "1"};
constexpr std::size_t kMaxWanted = 2;

void check(const PretrainedEmbeddings& embeddings) {
  require(embeddings.values.size() == embeddings.words.size() * embeddings.embedding_size,
          "every word has an embedding");
  require(std::all_of(embeddings.values.begin(), embeddings.values.end(),
                      [](float value) { return std::isfinite(value); }),
          "values are finite");
  std::unordered_set<std::string_view> seen;
  for (const std::string& word : embeddings.words)
    require(!word.empty() && seen.insert(word).second, "words are unique and not empty");
}

std::span<const float> row(const PretrainedEmbeddings& embeddings, std::size_t word) {
  return std::span(embeddings.values)
      .subspan(word * embeddings.embedding_size, embeddings.embedding_size);
}

// `some` are the first kMaxWanted of the wanted words of `all`, in the order of the file.
void check_part(const PretrainedEmbeddings& all, const PretrainedEmbeddings& some) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.words.size() && next < kMaxWanted; ++i) {
    if (std::find(kWanted.begin(), kWanted.end(), all.words[i]) == kWanted.end()) continue;
    require(next < some.words.size() && some.words[next] == all.words[i],
            "a wanted word of the file is loaded");
    require(std::ranges::equal(row(some, next), row(all, i)),
            "a wanted word has the values that it has in the whole file");
    ++next;
  }
  require(next == some.words.size(), "nothing but wanted words is loaded");
}

std::string write(const PretrainedEmbeddings& embeddings) {
  std::string text = std::to_string(embeddings.words.size()) + " " +
                     std::to_string(embeddings.embedding_size) + "\n";
  for (std::size_t i = 0; i < embeddings.words.size(); ++i) {
    text += embeddings.words[i];
    for (const float value : row(embeddings, i)) {
      std::array<char, 32> digits;
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
      text.append(" ").append(digits.data(), end);
    }
    text += "\n";
  }
  return text;
}

void check_round_trip(const PretrainedEmbeddings& embeddings) {
  const auto again = skim::parse_embeddings(write(embeddings), "again");
  require(again && again->words == embeddings.words && again->values == embeddings.values &&
              again->embedding_size == embeddings.embedding_size,
          "written embeddings parse to themselves");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = skim::fuzz::as_text(data, size);
  const auto all = skim::parse_embeddings(bytes, "fuzz");
  const auto some =
      skim::parse_embeddings(bytes, "fuzz", {.wanted = kWanted, .max_words = kMaxWanted});
  if (some) check(*some);
  if (!all) {
    require(all.error().message.starts_with("fuzz:"), "an error names the file");
    return 0;
  }
  check(*all);
  require(some.has_value(), "a valid file is valid in part");
  check_part(*all, *some);
  check_round_trip(*all);
  return 0;
}

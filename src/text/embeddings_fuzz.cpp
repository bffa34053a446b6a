// Parses arbitrary bytes as word embeddings.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "text/embeddings.h"

namespace {

void check(const skim::Result<skim::PretrainedEmbeddings>& embeddings) {
  if (!embeddings) {
    if (!embeddings.error().message.starts_with("fuzz:")) __builtin_trap();
    return;
  }
  if (embeddings->values.size() != embeddings->words.size() * embeddings->embedding_size)
    __builtin_trap();
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(embeddings->values.begin(), embeddings->values.end(), finite)) __builtin_trap();
  std::unordered_set<std::string_view> seen;
  for (const std::string& word : embeddings->words) {
    if (word.empty() || !seen.insert(word).second) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const skim::Result<skim::PretrainedEmbeddings> all = skim::parse_embeddings(bytes, "fuzz");
  check(all);
  const std::array<std::string_view, 3> wanted = {"a", "the", "1"};
  const auto some = skim::parse_embeddings(bytes, "fuzz", {.wanted = wanted, .max_words = 2});
  check(some);
  // A valid file is valid in part.
  if (all && !some) __builtin_trap();
  return 0;
}

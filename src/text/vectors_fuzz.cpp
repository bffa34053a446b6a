// Any bytes are a word-vector file or are refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "text/vectors.h"

namespace {

void check(const skim::Result<skim::WordVectors>& vectors) {
  if (!vectors) {
    if (!vectors.error().message.starts_with("fuzz:")) __builtin_trap();
    return;
  }
  if (vectors->values.size() != vectors->words.size() * vectors->width) __builtin_trap();
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(vectors->values.begin(), vectors->values.end(), finite)) __builtin_trap();
  std::unordered_set<std::string_view> seen;
  for (const std::string& word : vectors->words) {
    if (word.empty() || !seen.insert(word).second) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const skim::Result<skim::WordVectors> all = skim::parse_vectors(bytes, "fuzz");
  check(all);
  const std::array<std::string_view, 3> wanted = {"a", "the", "1"};
  const auto some = skim::parse_vectors(bytes, "fuzz", {.wanted = wanted, .most = 2});
  check(some);
  // A file that is good as a whole is good in part.
  if (all && !some) __builtin_trap();
  return 0;
}

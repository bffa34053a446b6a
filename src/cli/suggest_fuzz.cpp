// The laws of the edit distance, and of the suggestions that use it. The first byte splits the
// input into two words.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/suggest.h"
#include "tests/support/fuzz.h"

namespace {

using skim::cli::closest;
using skim::cli::edit_distance;
using skim::fuzz::require;

void check_distance(std::string_view left, std::string_view right) {
  const std::size_t distance = edit_distance(left, right);
  const auto [shorter, longer] = std::minmax({left.size(), right.size()});
  require(distance == edit_distance(right, left), "the distance is symmetric");
  require((distance == 0) == (left == right), "only equal words have distance 0");
  require(distance >= longer - shorter && distance <= longer, "the lengths bound the distance");
  const std::size_t after = edit_distance(left, std::string(right) + "-");
  require(after <= distance + 1 && distance <= after + 1, "one edit changes the distance by 1");
}

void check_closest(std::string_view given, std::string_view other) {
  const std::array<std::string_view, 4> candidates = {"--threshold", "--threads", other, "read"};
  const auto found = closest(given, candidates);
  if (!found) return;
  require(std::find(candidates.begin(), candidates.end(), *found) != candidates.end(),
          "a suggestion is one of the candidates");
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(given, candidate);
    require(edit_distance(given, *found) <= distance || distance >= candidate.size(),
            "no other candidate is closer");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = skim::fuzz::as_text(data + 1, size - 1);
  const std::size_t split = std::min<std::size_t>(data[0], text.size());
  check_distance(text.substr(0, split), text.substr(split));
  check_closest(text.substr(0, split), text.substr(split));
  return 0;
}

// Seeded random cases of differential tests: a few by default, as many as environment variables ask
// for. `SKIM_CASES=100000 build/release/readers_test --gtest_filter='Random*'` runs that many,
// `SKIM_SEED=17` the one that failed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace skim {

inline std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// Calls check(seed) for `usual` seeds from 1, or for SKIM_CASES seeds from SKIM_SEED on, until one
// fails.
template <class Check>
void for_each_case(std::uint64_t usual, Check check) {
  const std::uint64_t first = environment_number("SKIM_SEED", 0);
  const std::uint64_t count = environment_number("SKIM_CASES", first == 0 ? usual : 1);
  const std::uint64_t begin = first == 0 ? 1 : first;
  for (std::uint64_t seed = begin; seed < begin + count; ++seed) {
    SCOPED_TRACE("a random case; repeat it with SKIM_SEED=" + std::to_string(seed));
    check(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace skim

// Shared by the fuzzers: laws, views of the input and the default mutations of libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

// Applies one of libFuzzer's default mutations to data[0 .. size), which has room for `max` > 0
// bytes, and returns the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

namespace skim::fuzz {

// Generator of the custom mutators; libFuzzer gives the seed of each mutation.
using MutationRng = std::minstd_rand;

// Reports a violated law and aborts, which libFuzzer records as a crash.
inline void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "violated law: %s\n", law);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Mutates a string, which grows by at most `growth` bytes.
inline void mutate_text(std::string& text, std::size_t growth = 16) {
  const std::size_t size = text.size();
  text.resize(size + growth);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
}

}  // namespace skim::fuzz

// The vocabulary as two tensors: all words one after the other, and where each ends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file/safetensors.h"
#include "skim/result.h"

namespace skim {

inline constexpr std::string_view kWordText = "vocab.text";
inline constexpr std::string_view kWordEnds = "vocab.ends";

// Views into the container's bytes. `count` words; only the first may be empty; all are UTF-8.
Result<std::vector<std::string_view>> words_of(const Container& container, std::size_t count,
                                               const std::string& name);

// Two tensors, ends first. Errors (Fault::argument) name the word.
Result<std::vector<TensorBytes>> store_words(std::span<const std::string> words);

}  // namespace skim

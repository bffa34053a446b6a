// The vocabulary as two tensors: the concatenated words, and the offset at which each ends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file/safetensors.h"
#include "skim/result.h"

namespace skim {

inline constexpr std::string_view kVocabText = "vocab.text";
inline constexpr std::string_view kVocabEnds = "vocab.ends";

// The `count` words as views into the bytes of the container. All are UTF-8; only the first may be
// empty.
Result<std::vector<std::string_view>> read_vocab(const Container& container, std::size_t count,
                                                 const std::string& name);

// The two tensors, ends first. Errors (Fault::argument) name the word.
Result<std::vector<TensorBytes>> store_vocab(std::span<const std::string> words);

}  // namespace skim

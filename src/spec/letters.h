// The letters of a word as nets see them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace skim {

inline constexpr std::size_t kMostLetters = 32;

// The bytes of a word in its normal form, the first ones of a long word; at least one.
inline std::string letters_of(std::string normal_form) {
  if (normal_form.empty()) normal_form.push_back(' ');
  if (normal_form.size() > kMostLetters) normal_form.resize(kMostLetters);
  return normal_form;
}

}  // namespace skim

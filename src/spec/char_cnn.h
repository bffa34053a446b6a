// The input of the character CNN.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace skim {

// Longer words are truncated.
inline constexpr std::size_t kMaxWordBytes = 32;

// The bytes of a normalized word that the character CNN embeds: at least one, at most
// kMaxWordBytes.
inline std::string char_cnn_bytes(std::string normalized) {
  if (normalized.empty()) normalized.push_back(' ');
  if (normalized.size() > kMaxWordBytes) normalized.resize(kMaxWordBytes);
  return normalized;
}

}  // namespace skim

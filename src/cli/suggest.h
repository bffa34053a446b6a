// Did you mean ...?
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace skim::cli {

// The candidate that `given` is most likely a mistyped form of; nothing when none is near. Letters
// added, left out, changed or swapped count one each, and a longer word forgives more of them.
std::optional<std::string_view> closest(std::string_view given,
                                        std::span<const std::string_view> candidates);

std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace skim::cli

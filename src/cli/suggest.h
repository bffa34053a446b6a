// Spelling suggestions for mistyped names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace skim::cli {

// Returns the candidate nearest to `given` by edit distance, or nothing when none is close. Longer
// words tolerate more edits.
std::optional<std::string_view> closest(std::string_view given,
                                        std::span<const std::string_view> candidates);

// Damerau-Levenshtein distance: insertions, deletions, substitutions and adjacent transpositions.
std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace skim::cli

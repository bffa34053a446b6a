// Normalization of words for unicode models: NFKC, full case folding, without invisible characters.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace skim {

// Yields the normalized form of a word piece by piece; allocates nothing. It is NFKC_Casefold of
// the Unicode standard (without default ignorable characters) except for the following:
//   - I with a dot and i without one (Turkish) fold to i, and i loses a dot above
//   - U+2019 and U+02BC become apostrophes
//   - characters whose compatibility mapping contains a space stay, so that words contain none
//   - a word of ignorable characters alone keeps them, so that no word becomes empty
//   - of a character with combining marks, at most kMaxPiece characters are kept, decomposed
// Invalid UTF-8 counts as U+FFFD. The result is normalized already: folding it changes nothing.
class CaseFolder {
 public:
  static constexpr std::size_t kMaxPiece = 32;

  // `word` must outlive the folder.
  explicit CaseFolder(std::string_view word) : word_(word) {}

  // The next bytes, which are valid until the next call; empty after the last.
  std::string_view next();

 private:
  std::size_t skip_unchanged() const;
  std::string_view fold_piece();

  std::string_view word_;
  std::size_t at_ = 0;
  bool keep_ignorable_ = false;
  bool is_empty_ = true;  // so far
  std::array<char, 4 * kMaxPiece> bytes_;
};

}  // namespace skim

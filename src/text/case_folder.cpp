#include "text/case_folder.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"
#include "text/unicode.h"

namespace skim {
namespace {

constexpr char32_t kDotlessI = 0x131, kDotAbove = 0x307, kModifierApostrophe = 0x2BC;
constexpr std::size_t kMaxPiece = CaseFolder::kMaxPiece;
constexpr std::size_t kMaxDecomposition = 18;  // NFKC of U+FDFA, the longest

const utf8proc_property_t& folding_property(char32_t code) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
}

// The first character of the compatibility decomposition of `code`.
char32_t first_of_decomposition(char32_t code) {
  std::array<utf8proc_int32_t, kMaxDecomposition> codes{};
  int last_class = 0;
  const auto count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(code), codes.data(), kMaxDecomposition,
      static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_COMPOSE), &last_class);
  return count > 0 ? static_cast<char32_t>(codes[0]) : code;
}

// Whether NFKC may combine or reorder `code` with the characters before it, or removes it.
bool depends_on_previous(char32_t code) {
  if (code < 0x300 && code != 0xAD) return false;
  const utf8proc_property_t& property = folding_property(code);
  switch (property.boundclass) {
    case UTF8PROC_BOUNDCLASS_EXTEND:
    case UTF8PROC_BOUNDCLASS_V:
    case UTF8PROC_BOUNDCLASS_T:
      return true;
    default:
      break;
  }
  if (property.ignorable ||
      (property.category >= UTF8PROC_CATEGORY_MN && property.category <= UTF8PROC_CATEGORY_ME))
    return true;
  if (property.decomp_seqindex == UINT16_MAX || property.decomp_type == 0) return false;
  // A Hangul letter by itself, such as U+3161, stands for a vowel that joins a consonant before it.
  const char32_t first = first_of_decomposition(code);
  return first != code && depends_on_previous(first);
}

// Characters that count as one beyond what Unicode says.
constexpr char32_t fold_alike(char32_t code) {
  if (code == kDotlessI) return U'i';
  return code == kTypographicApostrophe || code == kModifierApostrophe ? U'\'' : code;
}

// Whether `code` is among the lower-case letters with a canonical decomposition that are known to
// be composed again. For others the answer takes a decomposition.
bool is_composed_letter(char32_t code) {
  return code < 0x300 || (code >= 0x3AC && code <= 0x3CE) || (code >= 0x400 && code <= 0x626) ||
         (code >= 0x1EA0 && code <= 0x1EF9) || (code >= 0xAC00 && code <= 0xD7A3);
}

// Whether `code` stays as it is unless characters that depend on it follow. False for some that do.
bool is_unchanged(char32_t code) {
  if (code < 0x80) return code < 'A' || code > 'Z';
  if (fold_alike(code) != code) return false;
  if (code == kReplacementCharacter || depends_on_previous(code)) return false;
  const utf8proc_property_t& property = folding_property(code);
  if (property.casefold_seqindex != UINT16_MAX) return false;
  return property.decomp_seqindex == UINT16_MAX ||
         (property.decomp_type == 0 && is_composed_letter(code));
}

// A base character with the characters that depend on it, decomposed.
class Piece {
 public:
  // Adds `code` without compatibility mappings that contain a space.
  void add(char32_t code, bool keep_ignorable) {
    if (count_ > kMaxPiece) return;
    const int kept = keep_ignorable ? 0 : UTF8PROC_IGNORE;
    std::size_t added = decompose(code, UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | kept);
    auto* const first = codes_.data() + count_;
    if (std::find(first, first + added, ' ') != first + added)
      added = decompose(code, UTF8PROC_CASEFOLD | kept);
    std::transform(first, first + added, first, [](utf8proc_int32_t each) {
      return static_cast<utf8proc_int32_t>(fold_alike(static_cast<char32_t>(each)));
    });
    count_ += added;
  }

  // Orders the marks, composes and writes UTF-8; returns its length.
  std::size_t write(char* out) {
    sort_marks();
    remove_dots();
    count_ = std::min(count_, kMaxPiece);
    const auto composed = utf8proc_normalize_utf32(
        codes_.data(), static_cast<utf8proc_ssize_t>(count_),
        static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    std::size_t length = 0;
    for (utf8proc_ssize_t i = 0; i < composed; ++i)
      length +=
          encode_utf8(static_cast<char32_t>(codes_[static_cast<std::size_t>(i)]), out + length);
    return length;
  }

 private:
  std::size_t decompose(char32_t code, int options) {
    int last_class = 0;
    const auto room = static_cast<utf8proc_ssize_t>(codes_.size() - count_);
    const auto added = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(code), codes_.data() + count_, room,
        static_cast<utf8proc_option_t>(options | UTF8PROC_COMPOSE | UTF8PROC_STABLE), &last_class);
    return added < 0 || added > room ? 0 : static_cast<std::size_t>(added);
  }

  int combining_class(std::size_t i) const {
    return folding_property(static_cast<char32_t>(codes_[i])).combining_class;
  }

  // The canonical order: marks between two other characters by their class.
  void sort_marks() {
    for (std::size_t i = 1; i < count_; ++i) {
      const int own = combining_class(i);
      for (std::size_t at = i; own != 0 && at > 0 && combining_class(at - 1) > own; --at)
        std::swap(codes_[at - 1], codes_[at]);
    }
  }

  // Removes dots above from an i.
  void remove_dots() {
    std::size_t kept = 0;
    char32_t base = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto code = static_cast<char32_t>(codes_[i]);
      if (base == U'i' && code == kDotAbove) continue;
      if (combining_class(i) == 0) base = code;
      codes_[kept++] = codes_[i];
    }
    count_ = kept;
  }

  // The last addition may exceed kMaxPiece.
  std::array<utf8proc_int32_t, kMaxPiece + 2 * kMaxDecomposition> codes_;
  std::size_t count_ = 0;
};

}  // namespace

// The position up to which the word stays as it is.
std::size_t CaseFolder::skip_unchanged() const {
  std::size_t last = at_, i = at_;
  while (i < word_.size()) {
    const CodePoint next = decode_utf8(word_, i);
    if (!is_unchanged(next.code)) return depends_on_previous(next.code) ? last : i;
    last = i;
    i += next.length;
  }
  return i;
}

// Folds the character at at_ and those that depend on it.
std::string_view CaseFolder::fold_piece() {
  Piece piece;
  do {
    const CodePoint next = decode_utf8(word_, at_);
    piece.add(next.code, keep_ignorable_);
    at_ += next.length;
  } while (at_ < word_.size() && depends_on_previous(decode_utf8(word_, at_).code));
  return {bytes_.data(), piece.write(bytes_.data())};
}

std::string_view CaseFolder::next() {
  while (at_ < word_.size()) {
    const std::size_t begin = at_;
    at_ = skip_unchanged();
    const std::string_view piece = at_ > begin ? word_.substr(begin, at_ - begin) : fold_piece();
    if (piece.empty()) continue;
    is_empty_ = false;
    return piece;
  }
  if (!is_empty_ || keep_ignorable_ || word_.empty()) return {};
  keep_ignorable_ = true;
  at_ = 0;
  return next();
}

}  // namespace skim

#include "text/unicode_kind.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

namespace skim {
namespace {

struct ScriptRange {
  char32_t first;
  char32_t last;
};

// utf8proc has no scripts. These are the blocks of the scripts that Unicode gives the line break
// classes ID, CJ and SA (complex context): they are written without spaces between words.
constexpr auto kUnspacedScripts = std::to_array<ScriptRange>({
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x19FF},    // Tai Le, New Tai Lue
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x2E80, 0x312F},    // radicals, kana, Bopomofo
    {0x31A0, 0xA4CF},    // Bopomofo, kana, Han, Yi
    {0xA9E0, 0xA9FF},    // Myanmar
    {0xAA60, 0xAADF},    // Myanmar, Tai Viet
    {0xF900, 0xFAFF},    // Han
    {0xFF66, 0xFF9D},    // half-width kana
    {0x11700, 0x1174F},  // Ahom
    {0x16FE0, 0x1B2FF},  // Tangut, Khitan, kana, Nushu
    {0x20000, 0x3FFFF},  // Han
});

bool is_unspaced(char32_t code) {
  if (code < kUnspacedScripts.front().first) return false;
  const auto* after = std::upper_bound(kUnspacedScripts.begin(), kUnspacedScripts.end(), code,
                                       [](char32_t c, const auto& r) { return c < r.first; });
  return code <= (after - 1)->last;
}

const utf8proc_property_t& property_of(char32_t code) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
}

bool is_mark(const utf8proc_property_t& property) {
  return property.category >= UTF8PROC_CATEGORY_MN && property.category <= UTF8PROC_CATEGORY_ME;
}

bool is_extending(const utf8proc_property_t& property) {
  return is_mark(property) || property.boundclass == UTF8PROC_BOUNDCLASS_EXTEND ||
         property.boundclass == UTF8PROC_BOUNDCLASS_ZWJ ||
         (property.category == UTF8PROC_CATEGORY_CF && property.ignorable);
}

}  // namespace

UnicodeKind unicode_kind(char32_t code) {
  constexpr char32_t kNextLine = 0x85, kZeroWidth = 0x200B;
  const utf8proc_property_t& property = property_of(code);
  const auto category = static_cast<utf8proc_category_t>(property.category);
  if (category == UTF8PROC_CATEGORY_ND) return UnicodeKind::digit;
  if (code == kZeroWidth) return UnicodeKind::symbol;
  if (is_extending(property)) return UnicodeKind::extend;
  const bool letter = (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) ||
                      category == UTF8PROC_CATEGORY_CF;
  if (letter) return is_unspaced(code) ? UnicodeKind::unspaced : UnicodeKind::letter;
  const bool space = (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP) ||
                     (code >= '\t' && code <= '\r') || code == kNextLine;
  return space ? UnicodeKind::space : UnicodeKind::symbol;
}

bool GraphemeCluster::breaks_before(char32_t next) {
  const char32_t last = std::exchange(last_, next);
  const utf8proc_property_t& property = property_of(next);
  // Most characters; saves the look-ups of utf8proc.
  const bool ordinary = property.boundclass == UTF8PROC_BOUNDCLASS_OTHER && !is_mark(property);
  if (ordinary && property.category != UTF8PROC_CATEGORY_CF) return true;
  const bool breaks =
      utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last),
                                       static_cast<utf8proc_int32_t>(next), &state_) != 0;
  const UnicodeKind kind = unicode_kind(next);
  return kind == UnicodeKind::space || (breaks && kind != UnicodeKind::extend);
}

}  // namespace skim

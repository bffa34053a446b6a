#include "server/field_syntax.h"

#include <algorithm>
#include <array>

namespace skim::server {
namespace {

using CharacterSet = std::array<bool, 256>;

// Letters, digits and `symbols`.
constexpr CharacterSet make_set(std::string_view symbols) {
  CharacterSet set{};
  for (char c = '0'; c <= '9'; ++c) set.at(static_cast<unsigned char>(c)) = true;
  for (char c = 'a'; c <= 'z'; ++c) set.at(static_cast<unsigned char>(c)) = true;
  for (char c = 'A'; c <= 'Z'; ++c) set.at(static_cast<unsigned char>(c)) = true;
  for (const char c : symbols) set.at(static_cast<unsigned char>(c)) = true;
  return set;
}
constexpr CharacterSet kTokenCharacters = make_set("!#$%&'*+-.^_`|~");
// RFC 3986, section 3.2, without the @ after a user name.
constexpr CharacterSet kAuthorityCharacters = make_set("-._~%!$&'()*+,;=:[]");

bool consists_of(std::string_view text, const CharacterSet& set) {
  return std::all_of(text.begin(), text.end(),
                     [&set](char c) { return set[static_cast<unsigned char>(c)]; });
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && consists_of(text, kTokenCharacters);
}

bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  });
}

bool is_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && is_token(line.substr(0, colon)) &&
         is_field_text(line.substr(colon + 1));
}

bool is_authority(std::string_view text) { return consists_of(text, kAuthorityCharacters); }

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(),
                    [](char a, char b) { return to_lower(a) == b; });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool list_contains(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equals_ignoring_case(trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace skim::server

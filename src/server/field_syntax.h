// The syntax of HTTP header fields.
#pragma once

#include <string_view>

namespace skim::server {

// A token of RFC 9110, section 5.6.2: a method or the name of a header.
bool is_token(std::string_view text);

// Visible ASCII, spaces, tabs and any byte above 0x7F.
bool is_field_text(std::string_view text);

// A header or trailer without its line end: "NAME: VALUE".
bool is_field_line(std::string_view line);

// The characters of a host with an optional port: no user name, path or white space.
bool is_authority(std::string_view text);

char to_lower(char c);
bool equals_ignoring_case(std::string_view text, std::string_view lower_case);

// Without spaces and tabs at both ends.
std::string_view trim(std::string_view text);

// Whether a comma-separated list such as "keep-alive, close" contains the token, in lower case.
bool list_contains(std::string_view list, std::string_view token);

}  // namespace skim::server

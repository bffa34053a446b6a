// Appends JSON to a string without building a document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skim {

// Quoted and escaped as by to_text: each ill-formed sequence (utf8.h) becomes one U+FFFD.
void append_json(std::string& out, std::string_view text);

// Six significant digits, the precision of a float, with a decimal point or an exponent. Numbers
// that are not finite become null.
void append_json(std::string& out, double value);

void append_json(std::string& out, std::uint64_t value);
void append_json(std::string& out, int value);

}  // namespace skim

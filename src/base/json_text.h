// JSON written straight into a string, for answers that are too many or too long to be built as a
// document first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skim {

// In quotes, escaped as to_text does it: invalid UTF-8 becomes U+FFFD.
void append_json(std::string& out, std::string_view text);

// Six significant digits, which is what a float holds, without the noise of its last bits; always
// with a point or an exponent. What is not finite becomes null.
void append_json(std::string& out, double value);

void append_json(std::string& out, std::uint64_t value);
void append_json(std::string& out, int value);

}  // namespace skim

// The unicode tokenizer; tokenizer.h documents its rules.
#pragma once

#include <string_view>
#include <vector>

#include "skim/token_span.h"

namespace skim {

// Appends the words of `text`.
void split_by_unicode_rules(std::string_view text, std::vector<TokenSpan>& words);

}  // namespace skim

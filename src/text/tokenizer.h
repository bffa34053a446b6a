// Text to words, as byte extents of the original text.
#pragma once

#include <string_view>
#include <vector>

#include "skim/query.h"
#include "skim/spec.h"

namespace skim {

// Appends nothing and allocates nothing once `words` has the capacity; `words` is overwritten.
// Works on any bytes: invalid UTF-8 never breaks it, and every extent lies on the original bytes.
void tokenize(std::string_view text, Tokenizer kind, std::vector<Word>& words);

}  // namespace skim

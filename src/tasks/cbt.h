// Files of the Children's Book Test: twenty sentences, and one more with a word left out.
#pragma once

#include <string_view>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Whether the first two lines that are not blank are sentences numbered 1 and 2.
bool looks_like_cbt(std::string_view bytes);

// Adds the questions: 20 numbered lines, then "21 question<TAB>answer<TAB><TAB>choice|choice|...",
// where XXXXX stands for the word left out. Blank lines part questions, and may be missing. The
// answer is one of the choices, which differ. The error names the line but not the file.
Result<void> parse_cbt(std::string_view bytes, std::vector<Example>& examples);

}  // namespace skim

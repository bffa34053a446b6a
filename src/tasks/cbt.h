// Parser for the Children's Book Test (cloze): twenty sentences and a query with a missing word.
#pragma once

#include <string_view>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Returns whether the first two non-blank lines are sentences numbered 1 and 2.
bool looks_like_cbt(std::string_view bytes);

// Appends the questions to `examples`. A question is 20 numbered lines, then
// "21 question<TAB>answer<TAB><TAB>choice|choice|...", where XXXXX is the missing word. Blank lines
// between questions are optional. The choices are distinct and contain the answer. The error gives
// the line but not the file.
Result<void> parse_cbt(std::string_view bytes, std::vector<Example>& examples);

}  // namespace skim

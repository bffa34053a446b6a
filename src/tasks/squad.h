// SQuAD files: questions about paragraphs, each answered by a piece of its paragraph.
#pragma once

#include <string_view>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Whether `bytes` start a JSON object with a list "data" of objects, and no field "label" or "text"
// before it. Looks no further, so a file cut short is still one.
bool looks_like_squad(std::string_view bytes);

// Adds the questions of a file of version 1.1, or the answerable ones of version 2.0, and counts
// what is left out. The files count code points from the start of a paragraph: that becomes bytes,
// and an answer that stands elsewhere gets the nearest place where it does. The error gives the
// path (data[3].paragraphs[0].qas[2].question) but does not name the file; a file without a single
// answerable question is one.
Result<void> parse_squad(std::string_view bytes, Dataset& data);

}  // namespace skim

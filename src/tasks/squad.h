// Parser for SQuAD: questions about paragraphs, answered by a span of the paragraph.
#pragma once

#include <string_view>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Returns whether `bytes` start a JSON object with a list "data" of objects and no field "label" or
// "text" before it. Scans no further, so a truncated file is recognized too.
bool looks_like_squad(std::string_view bytes);

// Appends the questions of a file of version 1.1, or the answerable ones of version 2.0, and counts
// the skipped ones. Converts answer offsets from code points to bytes; an answer that does not
// occur at its offset is aligned to the nearest occurrence. The error gives the path of the field
// (data[3].paragraphs[0].qas[2].question) but not the file. A file without an answerable question
// is an error.
Result<void> parse_squad(std::string_view bytes, Dataset& data);

}  // namespace skim

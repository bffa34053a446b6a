// Loads labelled texts and questions in any of the formats of format.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "skim/result.h"
#include "tasks/example.h"
#include "tasks/label_sets.h"

namespace skim {

// Parses a data set, whose classification examples have labels of this kind: lists of labels are
// `label,label` in TSV and CSV (there also with semicolons, or one 0/1 column per label), several
// __label__ in fastText files, "labels" (a list) or "label" in JSON lines. `name` is the source in
// messages. A malformed line is an error that gives source, line and reason (for a JSON document,
// the path of the field instead of the line). A source without examples is an error. Invalid UTF-8
// outside JSON is kept: the tokenizer accepts it.
Result<Dataset> parse_examples(std::string_view bytes, std::string name,
                               LabelKind kind = LabelKind::single);

// Loads a file; "-" is standard input.
Result<Dataset> load_examples(const std::filesystem::path& path,
                              LabelKind kind = LabelKind::single);

}  // namespace skim

// Labelled text and questions from files of any of the formats in format.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// `name` stands for the source in messages. A bad line is an error that names source, line and
// reason, and so is a source without a single example; of a JSON document, the path stands for the
// line. Invalid UTF-8 is kept as it is, outside of JSON: the tokenizer copes with it.
Result<Dataset> parse_examples(std::string_view bytes, std::string name);

// "-" is standard input.
Result<Dataset> load_examples(const std::filesystem::path& path);

}  // namespace skim

// Specs as JSON text, with the fields that docs/file-format.md lists, and back.
#pragma once

#include <string>
#include <string_view>

#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

std::string spec_text(const ModelSpec& spec);
std::string spec_text(const ReaderSpec& spec);

// All fields are required, as in a file; an error names the one that is missing or makes no sense.
Result<ReaderSpec> reader_spec_from(std::string_view json);

}  // namespace skim

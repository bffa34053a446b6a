// Specs to and from JSON text with the fields of docs/file-format.md.
#pragma once

#include <string>
#include <string_view>

#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

std::string to_json_text(const ModelSpec& spec);
std::string to_json_text(const ReaderSpec& spec);

// Requires all fields, as in a model file. The error names a missing or invalid field.
Result<ReaderSpec> reader_spec_from_json(std::string_view json);

}  // namespace skim

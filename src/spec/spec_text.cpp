#include "skim/spec_text.h"

#include "base/json.h"
#include "base/result_macros.h"
#include "spec/spec_json.h"

namespace skim {

std::string to_json_text(const ModelSpec& spec) { return to_text(to_json(spec)); }

std::string to_json_text(const ReaderSpec& spec) { return to_text(to_json(spec)); }

Result<ReaderSpec> reader_spec_from_json(std::string_view json) {
  SKIM_ASSIGN_OR_RETURN(const Json parsed, parse_json(json, "spec"));
  return parse_reader_spec(parsed, "spec");
}

}  // namespace skim

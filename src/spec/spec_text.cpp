#include "skim/spec_text.h"

#include "base/json.h"
#include "spec/spec_json.h"

namespace skim {

std::string spec_text(const ModelSpec& spec) { return to_text(json_of(spec)); }

std::string spec_text(const ReaderSpec& spec) { return to_text(json_of(spec)); }

Result<ReaderSpec> reader_spec_from(std::string_view json) {
  return parse_json(json, "spec").and_then([](const Json& parsed) {
    return reader_spec_of(parsed, "spec");
  });
}

}  // namespace skim

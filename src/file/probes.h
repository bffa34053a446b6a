// Probes to and from JSON.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "file/model_file.h"
#include "skim/result.h"

namespace skim {

// Numbers are printed so that they come back exactly.
Json json_of(const std::vector<Probe>& probes);

// Errors name the field; `spec` tells how many labels there are.
Result<std::vector<Probe>> probes_of(const Json& json, const ModelSpec& spec,
                                     std::string_view where);

}  // namespace skim

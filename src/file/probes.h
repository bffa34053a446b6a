// Probes to and from JSON.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "file/model_file.h"
#include "skim/result.h"

namespace skim {

// Numbers are written with enough digits to parse back exactly.
Json to_json(const std::vector<Probe>& probes);

// Errors name the field. `spec` gives the number of labels.
Result<std::vector<Probe>> parse_probes(const Json& json, const ModelSpec& spec,
                                        std::string_view where);

// Sets the temperature of a draft and converts the scores of its probes to it.
void set_temperature(ModelDraft& draft, double temperature);

}  // namespace skim

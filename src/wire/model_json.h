// What others may know of a model that is served.
#pragma once

#include <string_view>

#include "base/json.h"
#include "skim/model.h"

namespace skim {

// The fields docs/http.md promises for an element of /v1/models.
Json model_json(const Model& model, std::string_view name);

}  // namespace skim

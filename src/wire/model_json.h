// A served model as JSON.
#pragma once

#include <string_view>

#include "base/json.h"
#include "skim/model.h"

namespace skim {

// An element of the response of GET /v1/models, with the fields of docs/http.md.
Json describe_model(const Model& model, std::string_view name);

}  // namespace skim

// The configuration of a server: models, limits, access control.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/limits.h"
#include "skim/model.h"

namespace skim::server {

// A model and the name under which clients request it. Clients never see the model's path.
struct ServedModel {
  std::string name;
  Model model;
};

// Immutable while the server runs.
struct ServerOptions {
  std::vector<ServedModel> models;  // at least one; the first is the default
  Limits limits;
  std::string token;        // required bearer token; empty: no authentication
  std::string cors_origin;  // allowed CORS origin, or *; empty: CORS is disabled
};

// The index of the model with this name; 0, the default model, when `name` is empty.
std::optional<std::size_t> find_model(const std::vector<ServedModel>& models,
                                      std::string_view name);

}  // namespace skim::server

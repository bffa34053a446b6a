// Two small models of random weights, for a server.
#pragma once

#include <cstdint>
#include <vector>

#include "server/model_registry.h"

namespace skim {

// "first" is unidirectional, "second" bidirectional. Their paths begin with "/secret/". Another
// seed gives other weights.
std::vector<server::ServedModel> sample_models(std::uint32_t seed = 3);
// The same without names, to replace them.
std::vector<Model> sample_replacement(std::uint32_t seed);

// A model, "first", whose scores overflow.
std::vector<server::ServedModel> overflowing_models();

}  // namespace skim

// Specs of small models in all combinations.
#pragma once

#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/model.h"
#include "skim/spec.h"

namespace skim {

// Every combination of cell, skim sizes, small_input, decision, layers, directions and pooling.
std::vector<ModelSpec> all_model_specs();
// Every `nth` of all_model_specs(), for expensive tests.
std::vector<ModelSpec> sampled_model_specs(std::size_t nth);

std::string describe(const ModelSpec& spec);

// Serializes and loads a draft. Aborts the program when the draft is invalid.
Model load_model(const ModelDraft& draft, LoadOptions options = {});

}  // namespace skim

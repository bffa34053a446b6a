// Nets of every shape, small enough to try them all.
#pragma once

#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/model.h"
#include "skim/spec.h"

namespace skim {

// Every cell x small widths x small_sees x decision x layers x direction x pooling.
std::vector<ModelSpec> every_shape();
// Every `nth` of them, for laws that cost more.
std::vector<ModelSpec> shapes(std::size_t nth);

std::string describe(const ModelSpec& spec);

// The model that a file of this draft would load as. Ends the program when the draft is unsound:
// for tests, whose drafts are.
Model model_of(const ModelDraft& draft, LoadOptions options = {});

}  // namespace skim

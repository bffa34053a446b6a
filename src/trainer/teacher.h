// Models that teach another one: what they hold of its training texts.
#pragma once

#include <string>
#include <vector>

#include "train/options.h"

namespace skim::cli {

// The mean of what the models in `files` hold; no teacher for no files. A model is loaded when it
// is asked, and one that does not know all labels is an error then.
train::Teacher teacher_of(const std::vector<std::string>& files);

}  // namespace skim::cli

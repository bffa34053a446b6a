// Extractive question answering: each word is augmented with its attention over the question, and
// the states of the last layer predict the start and the end of the answer.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_span(const NetParts& parts);

}  // namespace skim

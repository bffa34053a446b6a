// Text classifier: a stack of readers, pooling, a linear layer, and softmax or sigmoid over the
// labels, or a number.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_classifier(const NetParts& parts);

}  // namespace skim

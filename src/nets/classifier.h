// Text classifier: a stack of readers, pooling, a linear layer, and a softmax over the labels.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_classifier(const NetParts& parts);

}  // namespace skim

// Readers stacked over the words, one pooled row, one linear layer, a softmax over the labels.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_classifier(const NetParts& parts);

}  // namespace skim

// Bidirectional Attention Flow, BiDAF (Seo et al. 2017), with any reader in place of its LSTMs:
// contextual encoding of text and question, attention flow, modeling and output layers.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_bidaf(const NetParts& parts);

}  // namespace skim

// Text and question read by themselves, brought together, read again: Bidirectional Attention Flow
// (Seo et al. 2017), with any reader in place of its LSTMs.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_bidaf(const NetParts& parts);

}  // namespace skim

// Cloze model: a stack of readers over text and question, whose final state is projected to an
// embedding and compared with the embeddings of the choices.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_cloze(const NetParts& parts);

}  // namespace skim

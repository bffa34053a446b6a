// Readers over a text in the light of a question: every word comes with what of the question
// matters to it, and the last layer's rows tell where the answer begins and ends.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_span(const NetParts& parts);

}  // namespace skim

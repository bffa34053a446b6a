// Readers over the text and then the question, whose last state tells which of the choices fits.
#pragma once

#include <memory>

#include "nets/net.h"

namespace skim {

std::unique_ptr<Net> make_cloze(const NetParts& parts);

}  // namespace skim

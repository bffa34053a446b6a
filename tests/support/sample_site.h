// A site with two small models of random weights.
#pragma once

#include "server/routes.h"

namespace skim {

// "first" skims, "second" also reads backwards. Their file names begin with "/secret/".
server::Site sample_site();

}  // namespace skim

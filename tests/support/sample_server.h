// Server options with two small models of random weights.
#pragma once

#include "server/server_options.h"

namespace skim {

// "first" is unidirectional, "second" bidirectional. Their paths begin with "/secret/".
server::ServerOptions sample_options();

}  // namespace skim

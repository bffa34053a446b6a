// Counts every allocation of the test program.
#pragma once

#include <cstddef>

namespace skim {

// Calls of operator new so far, of any kind and thread.
std::size_t allocations();

}  // namespace skim

// Counts the allocations of the test program, and makes large ones fail.
#pragma once

#include <cstddef>

namespace skim {

// Calls of operator new so far, of any kind and thread.
std::size_t allocations();

// While one lives, allocations of more than `bytes` fail as if memory had run out.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();
};

}  // namespace skim

// Counts the allocations of the test program, and makes chosen ones fail.
#pragma once

#include <cstddef>

namespace skim {

// Calls of operator new so far, of any kind and thread.
std::size_t allocations();

// Bytes that are allocated now through operator new, as the allocator rounds them.
std::size_t allocated_bytes();

// While one lives, allocations of more than `bytes` fail as if memory had run out.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();
};

// While one lives, the `n`-th allocation from now on fails, counted from 1.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::size_t n);
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();
};

}  // namespace skim

// Replaces operator new, in its own file so that the compiler cannot elide pairs of new and delete.
#include "tests/laws/counting_new.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

std::atomic<std::size_t> count{0};
std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> limit{kNoLimit};
std::atomic<std::size_t> failing_call{0};  // 0: none

void* allocate(std::size_t size, std::size_t alignment) {
  const std::size_t call = count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (size > limit.load(std::memory_order_relaxed)) throw std::bad_alloc();
  if (call == failing_call.load(std::memory_order_relaxed)) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

void release(void* memory) {
  live_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

constexpr std::size_t kDefault = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t size) { return allocate(size, kDefault); }
void* operator new[](std::size_t size) { return allocate(size, kDefault); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// The nothrow versions are replaced as well: a sanitizer's own would not match our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept try {
  return allocate(size, kDefault);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept try {
  return allocate(size, kDefault);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace skim {

std::size_t allocated_bytes() { return live_bytes.load(std::memory_order_relaxed); }

std::size_t allocations() { return count.load(std::memory_order_relaxed); }

MemoryLimit::MemoryLimit(std::size_t bytes) { limit.store(bytes); }
MemoryLimit::~MemoryLimit() { limit.store(kNoLimit); }

FailingAllocation::FailingAllocation(std::size_t n) { failing_call.store(count.load() + n); }
FailingAllocation::~FailingAllocation() { failing_call.store(0); }

}  // namespace skim

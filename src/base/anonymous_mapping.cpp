#include "base/anonymous_mapping.h"

#include <sys/mman.h>

#include <utility>

namespace skim {

AnonymousMapping::AnonymousMapping(std::size_t bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  // Accesses are random: with 4 KiB pages each would also miss the TLB.
  madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
}

AnonymousMapping::AnonymousMapping(AnonymousMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AnonymousMapping& AnonymousMapping::operator=(AnonymousMapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AnonymousMapping::~AnonymousMapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace skim

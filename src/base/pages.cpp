#include "base/pages.h"

#include <sys/mman.h>

#include <utility>

namespace skim {

Pages::Pages(std::size_t bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  // Rows are looked up all over the table: with 4 KiB pages each look-up would also miss the
  // address cache.
  madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace skim

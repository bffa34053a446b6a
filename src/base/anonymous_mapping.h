// Zeroed memory that the system allocates page by page on first access.
#pragma once

#include <cstddef>

namespace skim {

class AnonymousMapping {
 public:
  AnonymousMapping() = default;
  // Empty (data() == nullptr) when the allocation fails.
  explicit AnonymousMapping(std::size_t bytes);
  AnonymousMapping(AnonymousMapping&& other) noexcept;
  AnonymousMapping& operator=(AnonymousMapping&& other) noexcept;
  ~AnonymousMapping();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skim

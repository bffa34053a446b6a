// A large piece of zeroed memory that takes up real memory only where it is touched.
#pragma once

#include <cstddef>

namespace skim {

class Pages {
 public:
  Pages() = default;
  // Empty (data() == nullptr) when the system refuses.
  explicit Pages(std::size_t bytes);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skim

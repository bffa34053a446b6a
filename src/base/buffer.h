// Zero-initialized memory aligned to a cache line. Grows, never shrinks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace skim {

inline constexpr std::size_t kCacheLine = 64;

inline constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { grow(size); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { ::operator delete (data_, std::align_val_t{kCacheLine}); }

  // Makes room for at least `size` elements; keeps the old ones and zeroes the new ones. Doubles
  // the capacity, so that growing by one element has constant amortized cost.
  void grow(std::size_t size) {
    if (size <= size_) return;
    const std::size_t new_size = size_ == 0 ? size : std::max(size, 2 * size_);
    T* fresh = static_cast<T*>(::operator new (new_size * sizeof(T), std::align_val_t{kCacheLine}));
    if (size_ != 0) std::memcpy(fresh, data_, size_ * sizeof(T));
    std::memset(static_cast<void*>(fresh + size_), 0, (new_size - size_) * sizeof(T));
    ::operator delete (data_, std::align_val_t{kCacheLine});
    data_ = fresh;
    size_ = new_size;
  }
  void clear() { std::memset(static_cast<void*>(data_), 0, size_ * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skim

// How the library for JSON frees its values.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

namespace skim {

// Frees what create() of the library has allocated; null when that failed.
template <class T>
void destroy_json_content(T* content) noexcept {
  if (content == nullptr) return;
  std::destroy_at(content);
  std::allocator<T>().deallocate(content, 1);
}

}  // namespace skim

// Replaces the library's own version, which collects the nested values in a vector first. Without
// memory for that vector the destructor would throw and end the program. It would also access the
// content of a value for which there was no memory. This one recurses; no document is nested deeper
// than kMaxJsonDepth.
template <>
inline void nlohmann::ordered_json::json_value::destroy(value_t type) {
  switch (type) {
    case value_t::object:
      return skim::destroy_json_content(object);
    case value_t::array:
      return skim::destroy_json_content(array);
    case value_t::string:
      return skim::destroy_json_content(string);
    case value_t::binary:
      return skim::destroy_json_content(binary);
    default:
      return;  // values in place
  }
}

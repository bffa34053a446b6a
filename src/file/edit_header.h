// Edits the header of a model file, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "file/checksum.h"
#include "file/safetensors.h"

namespace skim {

// Size of the length field and the header.
inline std::size_t header_size(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return kLengthBytes + length;
}

// A file with this header, its checksum made valid, and this data.
inline std::vector<std::byte> with_header(const std::string& header,
                                          std::span<const std::byte> data) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> file(kLengthBytes + header.size() + data.size());
  std::memcpy(file.data(), &length, sizeof length);
  std::memcpy(file.data() + kLengthBytes, header.data(), header.size());
  std::copy(data.begin(), data.end(),
            file.begin() + static_cast<std::ptrdiff_t>(kLengthBytes + length));
  write_header_checksum(std::span(file).first(kLengthBytes + length));
  return file;
}

// The file after `change(header)`, its checksum made valid.
template <class Change>
std::vector<std::byte> with_changed_header(std::span<const std::byte> file, Change change) {
  const std::size_t size = header_size(file);
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                              size - kLengthBytes);
  Json header = *parse_json(text, "header");
  change(header);
  return with_header(to_text(header), file.subspan(size));
}

// Applies `change` to the JSON inside a metadata entry of a header.
template <class Change>
void change_metadata(Json& header, const char* key, Change change) {
  Json inner = *parse_json(header["__metadata__"][key].get<std::string>(), key);
  change(inner);
  header["__metadata__"][key] = to_text(inner);
}

}  // namespace skim

// The safetensors container: a length field, a JSON header and the bytes of the tensors.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file/model_file.h"
#include "skim/result.h"

namespace skim {

// Size of the length field at the start of a file.
inline constexpr std::size_t kLengthBytes = 8;

// Number of bytes before the data, as the length field at the start of `file` claims; at most as
// many as a valid header has. To read them before the data.
std::size_t claimed_header_bytes(std::span<const std::byte> file);

// A validated container: every tensor lies inside `data` and has the size of its type and shape;
// together they cover `data` without gaps or overlaps.
struct Container {
  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, TensorView, std::less<>> tensors;
  std::span<const std::byte> data;
};

// Whether the header must have a valid checksum (checksum.h). Files of other programs have none.
enum class HeaderChecksum { required, none };

// The result refers to `file`, which must outlive it.
Result<Container> parse_container(std::span<const std::byte> file, const std::string& name,
                                  HeaderChecksum header_checksum = HeaderChecksum::required);

// A tensor to be written.
struct TensorBytes {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;
};

// Serializes metadata and tensors in the given order; the same input gives the same bytes. Pads the
// header with spaces so that the data starts at a multiple of 64. Adds the metadata entries
// "data_checksum" and "checksum".
std::vector<std::byte> serialize_container(
    const std::vector<std::pair<std::string, std::string>>& metadata,
    const std::vector<TensorBytes>& tensors);

std::size_t element_size(DataType type);
// The name in safetensors: "F32".
std::string_view to_string(DataType type);

}  // namespace skim

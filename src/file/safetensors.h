// The container: a safetensors file, which is a length, a JSON header and the bytes of tensors.
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

// A file begins with the length of its header.
inline constexpr std::size_t kLengthBytes = 8;

// What a container says, checked against the bytes that are there: every tensor lies inside `data`
// and has the size its type and shape ask for, and together they cover `data` without holes or
// overlaps.
struct Container {
  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, TensorView, std::less<>> tensors;
  std::span<const std::byte> data;
};

// Whether the header must match its checksum (checksum.h). Other programs' files have none.
enum class Seal { checked, none };

// Views of `file`, which must outlive the result.
Result<Container> parse_container(std::span<const std::byte> file, const std::string& name,
                                  Seal seal = Seal::checked);

// A tensor on its way into a container.
struct TensorBytes {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;
};

// In the order given, metadata first, so the same input gives the same bytes. The header is padded
// with spaces so that the data starts at a multiple of 64. The metadata gets two more entries:
// "data_checksum" and "checksum".
std::vector<std::byte> container_bytes(
    const std::vector<std::pair<std::string, std::string>>& metadata,
    const std::vector<TensorBytes>& tensors);

std::size_t size_of(DataType type);
// As safetensors spells it: "F32".
std::string_view name_of(DataType type);

}  // namespace skim

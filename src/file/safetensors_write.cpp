#include <algorithm>
#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "base/json.h"
#include "file/checksum.h"
#include "file/safetensors.h"

namespace skim {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::string data_checksum(const std::vector<TensorBytes>& tensors) {
  std::vector<std::span<const std::byte>> chunks;
  for (const TensorBytes& tensor : tensors) chunks.emplace_back(tensor.bytes);
  return checksum_to_hex(compute_checksum(chunks));
}

// Length field and padded header, with zeros for the checksum of the header.
std::string make_header(const Metadata& metadata, const std::vector<TensorBytes>& tensors) {
  Json entries = Json::object();
  for (const auto& [key, value] : metadata) entries[key] = value;
  entries["data_checksum"] = data_checksum(tensors);
  entries["checksum"] = std::string(kChecksumDigits, '0');
  Json header = Json::object();
  header["__metadata__"] = std::move(entries);
  std::size_t offset = 0;
  for (const TensorBytes& tensor : tensors) {
    const std::size_t end = offset + tensor.bytes.size();
    header[tensor.name] = {{"dtype", to_string(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string bytes = std::string(kLengthBytes, '\0') + to_text(header);
  bytes.resize(round_up(bytes.size(), kCacheLine), ' ');
  const std::uint64_t length = bytes.size() - kLengthBytes;
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

}  // namespace

std::vector<std::byte> serialize_container(const Metadata& metadata,
                                           const std::vector<TensorBytes>& tensors) {
  std::string header = make_header(metadata, tensors);
  write_header_checksum(std::as_writable_bytes(std::span(header)));
  std::size_t size = header.size();
  for (const TensorBytes& tensor : tensors) size += tensor.bytes.size();
  std::vector<std::byte> file;
  file.reserve(size);
  const auto append = [&file](std::span<const std::byte> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(header)));
  for (const TensorBytes& tensor : tensors) append(tensor.bytes);
  return file;
}

}  // namespace skim

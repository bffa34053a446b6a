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
  std::vector<std::span<const std::byte>> pieces;
  for (const TensorBytes& tensor : tensors) pieces.emplace_back(tensor.bytes);
  return checksum_text(checksum_of(pieces));
}

// The length field and the padded header; the checksum of the header is still zeros.
std::string head_of(const Metadata& metadata, const std::vector<TensorBytes>& tensors) {
  Json entries = Json::object();
  for (const auto& [key, value] : metadata) entries[key] = value;
  entries["data_checksum"] = data_checksum(tensors);
  entries["checksum"] = std::string(kChecksumDigits, '0');
  Json header = Json::object();
  header["__metadata__"] = std::move(entries);
  std::size_t offset = 0;
  for (const TensorBytes& tensor : tensors) {
    const std::size_t end = offset + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", name_of(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string head = std::string(kLengthBytes, '\0') + to_text(header);
  head.resize(round_up(head.size(), kCacheLine), ' ');
  const std::uint64_t length = head.size() - kLengthBytes;
  std::memcpy(head.data(), &length, sizeof length);
  return head;
}

}  // namespace

std::vector<std::byte> container_bytes(const Metadata& metadata,
                                       const std::vector<TensorBytes>& tensors) {
  std::string head = head_of(metadata, tensors);
  seal_head(std::as_writable_bytes(std::span(head)));
  std::size_t size = head.size();
  for (const TensorBytes& tensor : tensors) size += tensor.bytes.size();
  std::vector<std::byte> file;
  file.reserve(size);
  const auto append = [&file](std::span<const std::byte> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(head)));
  for (const TensorBytes& tensor : tensors) append(tensor.bytes);
  return file;
}

}  // namespace skim

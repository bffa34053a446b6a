// Structure-aware mutations of safetensors files: lengths and checksums stay valid, so that
// mutations reach the code behind those checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "file/checksum.h"
#include "file/model_file.h"
#include "file/safetensors.h"
#include "tests/support/fuzz_json.h"

namespace skim::fuzz {

// The checksums that a mutation makes valid.
enum class ValidChecksums { none, header, header_and_data };

struct ContainerParts {
  std::string header;
  std::string data;
};

// An invalid length takes the whole file as header.
inline ContainerParts split_container(std::string_view file) {
  std::uint64_t length = 0;
  if (file.size() < kLengthBytes) return {};
  std::memcpy(&length, file.data(), sizeof length);
  file.remove_prefix(kLengthBytes);
  length = std::min<std::uint64_t>(length, file.size());
  return {std::string(file.substr(0, length)), std::string(file.substr(length))};
}

inline void write_data_checksum(ContainerParts& parts) {
  constexpr std::string_view kKey = "\"data_checksum\":\"";
  const std::size_t key = parts.header.find(kKey);
  if (key == std::string::npos || parts.header.size() - key < kKey.size() + kChecksumDigits) return;
  const auto data = std::as_bytes(std::span(parts.data));
  parts.header.replace(key + kKey.size(), kChecksumDigits, checksum_to_hex(compute_checksum(data)));
}

inline std::string join_container(ContainerParts parts, ValidChecksums checksums) {
  if (checksums == ValidChecksums::header_and_data) write_data_checksum(parts);
  std::string file(kLengthBytes, '\0');
  const std::uint64_t length = parts.header.size();
  std::memcpy(file.data(), &length, sizeof length);
  file += parts.header;
  if (checksums != ValidChecksums::none)
    write_header_checksum(std::as_writable_bytes(std::span(file)));
  return file + parts.data;
}

// Keeps the size: every byte belongs to a tensor.
inline void mutate_data(std::string& data) {
  const std::size_t size = data.size();
  if (size == 0) return;
  const auto bytes = reinterpret_cast<std::uint8_t*>(data.data());
  data.resize(LLVMFuzzerMutate(bytes, size, size));
  data.resize(size);
}

inline void mutate_header(std::string& header, MutationRng& random) {
  Result<Json> document = parse_json(header, "header");
  if (!document || random() % 4 == 0) return mutate_text(header);
  mutate_json(*document, random);
  header = to_text(*document);
}

// A custom mutator of files: changes the header as JSON or as text, or the data. One of 16
// mutations changes raw bytes.
inline std::size_t mutate_container(std::uint8_t* data, std::size_t size, std::size_t max,
                                    ValidChecksums checksums, MutationRng& random) {
  if (random() % 16 == 0) return LLVMFuzzerMutate(data, size, max);
  ContainerParts parts = split_container(as_text(data, size));
  if (random() % 4 == 0)
    mutate_data(parts.data);
  else
    mutate_header(parts.header, random);
  const std::string file = join_container(std::move(parts), checksums);
  if (file.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

}  // namespace skim::fuzz

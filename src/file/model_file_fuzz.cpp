// Opens arbitrary bytes as a model file. A file that opens must survive being written and opened
// again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "file/checksum.h"
#include "file/sample_model.h"

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kLengthBytes = 8;

Bytes to_bytes_copy(const std::uint8_t* data, std::size_t size) {
  const auto* start = reinterpret_cast<const std::byte*>(data);
  return {start, start + size};
}

// Size of the length field and the header, or of the file when the length is invalid.
std::size_t header_size(const Bytes& file) {
  if (file.size() < kLengthBytes) return file.size();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return length > file.size() - kLengthBytes ? file.size() : kLengthBytes + length;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void try_file(const Bytes& bytes) {
  const auto file = skim::open_model_bytes(bytes, "fuzz");
  if (!file) {
    require(file.error().message.starts_with("fuzz"));
    return;
  }
  static_cast<void>(skim::compute_checksum(file->data));
  // Weights may be too large for their type once rounded again; nothing else may fail.
  const auto again = skim::to_bytes(skim::to_draft(*file));
  if (!again) return;
  const auto reopened = skim::open_model_bytes(*again, "again");
  require(reopened.has_value() && reopened->spec == file->spec);
  require(*skim::to_bytes(skim::to_draft(*reopened)) == *again);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes = to_bytes_copy(data, size);
  try_file(bytes);
  // The checksum detects any change of the header, so also try with a valid checksum.
  if (skim::write_header_checksum(std::span(bytes).first(header_size(bytes)))) try_file(bytes);
  return 0;
}

// Starts from a valid model and mutates either its header, adjusting the length, or its data: blind
// mutations would rarely get past the first eight bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  std::minstd_rand random(seed);
  Bytes file = to_bytes_copy(data, size);
  if (size < 64 || random() % 64 == 0) {
    skim::ModelSpec spec = skim::sample_spec();
    spec.weight_type = static_cast<skim::WeightType>(random() % 3);
    file = *skim::to_bytes(skim::sample_draft(spec, random()));
    if (file.size() > max) return LLVMFuzzerMutate(data, size, max);
  }
  const bool in_header = random() % 2 == 0;
  const std::size_t header = header_size(file);
  const std::size_t begin = in_header ? std::min(kLengthBytes, header) : header;
  const std::size_t end = in_header ? header : file.size();
  std::copy(file.begin(), file.end(), reinterpret_cast<std::byte*>(data));
  const Bytes rest(file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
  const std::size_t room = max - begin - rest.size();
  if (room == 0) return file.size();
  const std::size_t changed = begin + LLVMFuzzerMutate(data + begin, end - begin, room);
  std::copy(rest.begin(), rest.end(), reinterpret_cast<std::byte*>(data + changed));
  if (in_header && changed >= kLengthBytes) {
    const std::uint64_t length = changed - kLengthBytes;
    std::memcpy(data, &length, sizeof length);
  }
  return changed + rest.size();
}

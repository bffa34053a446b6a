// Fuzzes the import: arbitrary bytes, and a valid file with some bytes changed. Whatever is
// accepted must be a valid model.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "interchange/torch_import.h"

namespace {

using Bytes = std::vector<std::byte>;

// The state of the smallest GRU classifier: 3 words, embedding size 2, 1 unit, 2 labels.
Bytes valid_file() {
  const std::string header =
      R"({"e.weight":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
      R"("r.weight_ih_l0":{"dtype":"F16","shape":[3,2],"data_offsets":[24,36]},)"
      R"("r.weight_hh_l0":{"dtype":"F32","shape":[3,1],"data_offsets":[36,48]},)"
      R"("r.bias_ih_l0":{"dtype":"BF16","shape":[3],"data_offsets":[48,54]},)"
      R"("r.bias_hh_l0":{"dtype":"F16","shape":[3],"data_offsets":[54,60]},)"
      R"("fc.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[60,68]}})";
  const std::uint64_t length = header.size();
  Bytes file(sizeof length + header.size() + 68, std::byte{0x11});
  std::memcpy(file.data(), &length, sizeof length);
  std::memcpy(file.data() + sizeof length, header.data(), header.size());
  return file;
}

void try_import(const Bytes& file) {
  skim::TorchImport options;
  options.words = {"<unk>", "good", "bad"};
  options.labels = {"no", "yes"};
  const auto draft = skim::import_torch(file, "fuzz", options);
  if (!draft) {
    if (draft.error().message.empty()) std::abort();
    return;
  }
  if (!skim::to_bytes(*draft)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* start = reinterpret_cast<const std::byte*>(data);
  try_import({start, start + size});
  Bytes file = valid_file();
  if (size == 0) try_import(file);
  // Three bytes per change: offset (two) and value.
  for (; size >= 3; data += 3, size -= 3)
    file[(data[0] * 256U + data[1]) % file.size()] = std::byte{data[2]};
  try_import(file);
  return 0;
}

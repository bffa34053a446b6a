// Parses arbitrary bytes as a checkpoint. A state that is accepted must survive being written and
// parsed again.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/support/fuzz_container.h"
#include "train/checkpoint.h"

namespace {

using skim::fuzz::require;
using skim::train::TrainingState;

// With an option that --resume may change and one that stops it.
constexpr const char* kConfig = R"({"seed":1,"max_steps":10,"pretrain_fully":false})";

std::vector<std::byte> sample_checkpoint(unsigned seed) {
  TrainingState state;
  state.step = seed % 1000;
  state.loss = 0.25;
  state.arrays = {{"head.bias", {0.5F, -2}}, {"head.bias/ema", {1, 2}}, {"empty", {}}};
  state.ema_steps = {0, 7};
  state.best.score = {0.875, 0.3, 0.6};
  state.best.weights = {{"head.bias", {1.5F}}};
  if (seed % 2 == 0) state.best.embeddings = {3, 4, 5};
  const char* config = seed % 3 == 0 ? kConfig : R"({"seed":1,"max_steps":20})";
  return skim::train::serialize_checkpoint(state, config);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto state = skim::train::parse_checkpoint(bytes, "fuzz", kConfig);
  if (!state) {
    require(state.error().message.starts_with("fuzz"), "an error names the file");
    return 0;
  }
  const auto written = skim::train::serialize_checkpoint(*state, kConfig);
  const auto again = skim::train::parse_checkpoint(written, "again", kConfig);
  require(again.has_value(), "a written checkpoint is valid");
  // Compares NaN, too, which equals itself in a file only.
  require(skim::train::serialize_checkpoint(*again, kConfig) == written,
          "a written checkpoint parses to itself");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  if (size > 64 && random() % 64 != 0) {
    return skim::fuzz::mutate_container(data, size, max,
                                        skim::fuzz::ValidChecksums::header_and_data, random);
  }
  const auto bytes = sample_checkpoint(seed);
  if (bytes.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::ranges::copy(bytes, reinterpret_cast<std::byte*>(data));
  return bytes.size();
}

// Opens arbitrary bytes as a model file. A file that opens must survive being written and opened
// again.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file/sample_model.h"
#include "file/sample_version1.h"
#include "tests/support/fuzz_container.h"
#include "tests/support/random_spec.h"

namespace {

using skim::ModelFile;
using skim::TensorView;
using skim::fuzz::require;
using Bytes = std::vector<std::byte>;

bool is_same(const TensorView& left, const TensorView& right) {
  if (left.name != right.name || left.type != right.type || left.shape != right.shape) return false;
  // The scales of other writers may give the same weights by other integers.
  const bool scaled = left.type == skim::DataType::i8 || left.name.ends_with(".scale");
  return scaled || std::ranges::equal(left.bytes, right.bytes);
}

bool is_same(const ModelFile& left, const ModelFile& right) {
  return left.spec == right.spec && left.calibration == right.calibration &&
         left.about == right.about && left.vocabulary == right.vocabulary &&
         left.probes.size() == right.probes.size() &&
         std::ranges::equal(left.tensors, right.tensors,
                            [](const auto& one, const auto& other) { return is_same(one, other); });
}

void check_round_trip(const ModelFile& file) {
  const auto written = skim::to_bytes(skim::to_draft(file));
  // A scale of another writer may be at the limit and exceed it once rounded.
  if (!written && file.spec.weight_type == skim::WeightType::int8) return;
  require(written.has_value(), "a model that opens can be written");
  const auto reopened = skim::open_model_bytes(*written, "again");
  require(reopened && is_same(*reopened, file), "a written model is the same model");
  require(*skim::to_bytes(skim::to_draft(*reopened)) == *written,
          "writing a written model gives the same bytes");
}

// A tiny model of random architecture; one of four in format version 1.
Bytes make_model(unsigned seed) {
  skim::Random random(seed);
  skim::ModelSpec spec = skim::draw_model_spec(
      random, {.input_size = 4, .hidden_size = 5, .vocab_size = 8, .num_layers = 2});
  spec.weight_type = skim::draw_enum<skim::WeightType>(random);
  skim::ModelDraft draft = skim::sample_draft_with_probe(spec, seed);
  // Few distinct weights, so that the kept corpus packs well.
  for (auto& tensor : draft.tensors)
    for (float& value : tensor.values) value = std::round(value * 8) / 8;
  const Bytes bytes = *skim::to_bytes(draft);
  return random.bernoulli(0.25) ? skim::to_version1(bytes, spec.net) : bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto file = skim::open_model_bytes({bytes.begin(), bytes.end()}, "fuzz");
  if (file)
    check_round_trip(*file);
  else
    require(file.error().message.starts_with("fuzz"), "an error names the file");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  if (size > 64 && random() % 64 != 0) {
    return skim::fuzz::mutate_container(data, size, max, skim::fuzz::ValidChecksums::header,
                                        random);
  }
  const Bytes model = make_model(seed);
  if (model.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::ranges::copy(model, reinterpret_cast<std::byte*>(data));
  return model.size();
}

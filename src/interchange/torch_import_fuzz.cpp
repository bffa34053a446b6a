// Imports arbitrary bytes as the PyTorch state of a classifier. Whatever is accepted must be a
// valid model.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interchange/torch_import.h"
#include "spec/params.h"
#include "tests/support/fuzz_container.h"
#include "tests/support/random_spec.h"

namespace {

using skim::Json;
using skim::Random;
using skim::fuzz::require;

// Words, labels and names that the user gives.
const skim::TorchImport& import_options() {
  static const skim::TorchImport kOptions = [] {
    skim::TorchImport options;
    options.words = {"good", "<unk>", "bad"};
    options.labels = {"no", "yes"};
    return options;
  }();
  return kOptions;
}

void check_imported(const skim::ModelDraft& draft) {
  require(draft.vocabulary == std::vector<std::string>{"<unk>", "good", "bad"},
          "the unknown word comes first, the others keep their order");
  require(draft.probes.size() == 5, "an imported model has probes");
  const auto bytes = skim::to_bytes(draft);
  require(bytes.has_value(), "an imported model can be written");
  require(skim::open_model_bytes(*bytes, "again").has_value(), "an imported model can be opened");
}

// Adds tensors to a state dict.
class StateBuilder {
 public:
  void add(const std::string& name, std::vector<std::size_t> shape, Random& random) {
    const bool wide = random.bernoulli(0.5);
    std::size_t bytes = wide ? 4 : 2;
    for (const std::size_t extent : shape) bytes *= extent;
    header_[name] = {{"dtype", wide                    ? "F32"
                               : random.bernoulli(0.5) ? "F16"
                                                       : "BF16"},
                     {"shape", shape},
                     {"data_offsets", {data_.size(), data_.size() + bytes}}};
    for (std::size_t i = 0; i < bytes; ++i) data_ += static_cast<char>(random.below(0x30));
  }
  std::string file() const {
    return skim::fuzz::join_container({skim::to_text(header_), data_},
                                      skim::fuzz::ValidChecksums::none);
  }

 private:
  Json header_ = Json::object();
  std::string data_;
};

// A small classifier of random architecture.
std::string sample_state(unsigned seed) {
  Random random(seed);
  StateBuilder state;
  const std::size_t input = 1 + random.below(3), hidden = 1 + random.below(3);
  const std::size_t rows = skim::gates(skim::draw_enum<skim::Cell>(random)) * hidden;
  const bool bidirectional = random.bernoulli(0.5), biased = random.bernoulli(0.75);
  const std::size_t layers = 1 + random.below(2), output = bidirectional ? 2 * hidden : hidden;
  state.add("e.weight", {import_options().words.size(), input}, random);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (const char* direction : {"", "_reverse"}) {
      if (*direction != '\0' && !bidirectional) continue;
      const std::string suffix = "_l" + std::to_string(layer) + direction;
      state.add("r.weight_ih" + suffix, {rows, layer == 0 ? input : output}, random);
      state.add("r.weight_hh" + suffix, {rows, hidden}, random);
      if (!biased) continue;
      state.add("r.bias_ih" + suffix, {rows}, random);
      state.add("r.bias_hh" + suffix, {rows}, random);
    }
  }
  const std::size_t logits = 1 + random.below(2);
  state.add("fc.weight", {logits, output}, random);
  if (biased) state.add("fc.bias", {logits}, random);
  return state.file();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto draft = skim::import_torch(bytes, "fuzz", import_options());
  if (draft)
    check_imported(*draft);
  else
    require(draft.error().message.starts_with("fuzz"), "an error names the file");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  if (size > 64 && random() % 64 != 0) {
    return skim::fuzz::mutate_container(data, size, max, skim::fuzz::ValidChecksums::none, random);
  }
  const std::string state = sample_state(seed);
  if (state.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::copy(state.begin(), state.end(), data);
  return state.size();
}

// Translates arbitrary metadata and tensor names from format version 1. The first line of the input
// is the spec, the second one the probes, every other line the name of a tensor.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "file/probes.h"
#include "file/sample_model.h"
#include "file/sample_version1.h"
#include "file/version1.h"
#include "spec/params.h"
#include "spec/spec_json.h"
#include "tests/support/fuzz_json.h"
#include "tests/support/random_spec.h"

namespace {

using skim::Container;
using skim::Json;
using skim::ModelSpec;
using skim::fuzz::require;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

Container make_container(std::string_view input) {
  Container container;
  container.metadata["spec"] = take_line(input);
  container.metadata["probes"] = take_line(input);
  while (!input.empty()) {
    const std::string name(take_line(input));
    // The size identifies the tensor after its renaming.
    container.tensors[name] = {name, skim::DataType::u8, {container.tensors.size()}, {}};
  }
  return container;
}

// The spec in version 1 and the old names of its tensors, as an input.
std::string to_old_input(const ModelSpec& spec, std::string_view probes) {
  Json old = skim::to_json(spec);
  skim::to_old_spec(old);
  std::string input = skim::to_text(old) + "\n" + std::string(probes) + "\n";
  for (const skim::TensorSpec& tensor : skim::model_tensors(spec))
    input += skim::old_tensor_name(tensor.name, spec.net) + "\n";
  return input;
}

void check_names(const Container& container, std::size_t count) {
  require(container.tensors.size() == count, "no tensor is lost");
  for (const auto& [name, tensor] : container.tensors)
    require(tensor.name == name, "a tensor has its new name");
}

// Writes the spec that `translated` holds in version 1 and translates it again.
void check_spec(const Container& translated) {
  const auto json = skim::parse_json(translated.metadata.at("spec"), "spec");
  require(json.has_value(), "a translated spec is valid JSON");
  const auto spec = skim::parse_model_spec(*json, "spec");
  // More layers give more tensors but no other names. Later features have no version 1.
  if (!spec || spec->subwords.enabled() || spec->output != skim::OutputActivation::softmax) return;
  if (spec->num_layers > 2 || spec->reader.levels() > 4) return;
  Container again = make_container(to_old_input(*spec, "[]"));
  require(skim::translate_version1(again, "again").has_value(), "every model has a version 1");
  const auto parsed = skim::parse_json(again.metadata.at("spec"), "again").and_then([](Json made) {
    return skim::parse_model_spec(made, "again");
  });
  require(parsed && *parsed == *spec, "a spec in version 1 translates to itself");
  for (const skim::TensorSpec& tensor : skim::model_tensors(*spec))
    require(again.tensors.contains(tensor.name), "a tensor in version 1 gets its name back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Container container = make_container(skim::fuzz::as_text(data, size));
  const std::size_t tensors = container.tensors.size();
  const auto done = skim::translate_version1(container, "fuzz");
  if (!done) {
    require(done.error().message.starts_with("fuzz: "), "an error names the file");
    return 0;
  }
  check_names(container, tensors);
  check_spec(container);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  std::string input(skim::fuzz::as_text(data, size));
  if (size < 16 || random() % 64 == 0) {
    skim::Random source(seed);
    ModelSpec spec = skim::draw_model_spec(source, {});
    spec.subwords = {};
    if (spec.output == skim::OutputActivation::linear) spec.labels = {"label1"};
    spec.output = skim::OutputActivation::softmax;
    Json probes = skim::to_json(skim::sample_draft_with_probe(spec).probes);
    skim::to_old_probes(probes);
    input = to_old_input(spec, skim::to_text(probes));
  } else if (random() % 2 == 0) {
    return LLVMFuzzerMutate(data, size, max);
  } else {
    std::string_view rest = input;
    std::string spec(take_line(rest)), probes(take_line(rest));
    skim::fuzz::mutate_string(random() % 4 == 0 ? probes : spec, random);
    input = spec + "\n" + probes + "\n" + std::string(rest);
  }
  if (input.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::copy(input.begin(), input.end(), data);
  return input.size();
}

// Parses arbitrary documents as specs, calibrations and policies. What is accepted must be valid
// and survive being written and parsed again.
#include <algorithm>
#include <cstdint>
#include <string>

#include "spec/params.h"
#include "spec/spec_json.h"
#include "tests/support/fuzz_json.h"
#include "tests/support/random_spec.h"

namespace {

using skim::Json;
using skim::fuzz::require;

// `parse` is one of the functions of spec_json.h.
template <class Parse>
bool check_round_trip(const Json& document, Parse parse) {
  const auto parsed = parse(document, "fuzz");
  if (!parsed) {
    require(parsed.error().message.starts_with("fuzz"), "an error starts with the path");
    return false;
  }
  const auto again = parse(skim::to_json(*parsed), "again");
  require(again && *again == *parsed, "what is written parses to itself");
  return true;
}

void check_tensors(const Json& document) {
  const auto spec = skim::parse_model_spec(document, "fuzz");
  require(skim::check(*spec).has_value(), "a parsed spec is valid");
  for (const skim::TensorSpec& tensor : skim::model_tensors(*spec))
    require(!tensor.name.empty() && !tensor.shape.empty(), "tensors have names and shapes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static skim::JsonParser parser;
  const auto document = parser.parse(skim::fuzz::as_text(data, size), "fuzz");
  if (!document) return 0;
  if (check_round_trip(*document, skim::parse_model_spec)) check_tensors(*document);
  check_round_trip(*document, skim::parse_reader_spec);
  check_round_trip(*document, skim::parse_calibration);
  check_round_trip(*document, skim::parse_policy);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  if (size > 16 && random() % 64 != 0) return skim::fuzz::mutate_json_text(data, size, max, random);
  skim::Random source(seed);
  const std::string text = skim::to_text(skim::to_json(skim::draw_model_spec(source, {})));
  if (text.size() > max) return LLVMFuzzerMutate(data, size, max);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "base/utf8.h"
#include "file/format.h"
#include "file/model_file.h"
#include "file/probes.h"
#include "file/safetensors.h"
#include "file/values.h"
#include "file/vocab_tensors.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<Error> cannot_store(const std::string& what) {
  return fail(Fault::argument, "cannot store the model: " + what);
}

// Checks that all strings stored as JSON are UTF-8, so that they can be read back.
Result<void> check_strings(const ModelDraft& draft) {
  if (!is_utf8(draft.about)) return cannot_store("'about' is not valid UTF-8");
  if (!is_utf8(draft.calibration.data))
    return cannot_store("'calibration.data' is not valid UTF-8");
  for (const std::string& label : draft.spec.labels) {
    if (!is_utf8(label)) return cannot_store("a label is not valid UTF-8");
  }
  for (const Probe& probe : draft.probes) {
    bool valid = is_utf8(probe.query.text) && is_utf8(probe.query.question);
    for (const std::string& choice : probe.query.choices) valid = valid && is_utf8(choice);
    for (const Pass& pass : probe.trace) valid = valid && is_utf8(pass.reader);
    if (!valid) return cannot_store("a probe is not valid UTF-8");
  }
  return {};
}

// Rejects whatever the loader would reject.
Result<void> check_draft(const ModelDraft& draft) {
  if (auto valid = check(draft.spec); !valid) return cannot_store("spec: " + valid.error().message);
  if (auto valid = check(draft.calibration, draft.spec); !valid) {
    return cannot_store("calibration: " + valid.error().message);
  }
  SKIM_RETURN_IF_ERROR(check_strings(draft));
  if (draft.vocabulary.size() != static_cast<std::size_t>(draft.spec.vocab_size)) {
    return cannot_store("it has " + std::to_string(draft.vocabulary.size()) + " words, expected " +
                        std::to_string(draft.spec.vocab_size));
  }
  if (auto probes = parse_probes(to_json(draft.probes), draft.spec, "probes"); !probes) {
    return cannot_store(probes.error().message);
  }
  return {};
}

Metadata make_metadata(const ModelDraft& draft) {
  const auto entry = [](std::string_view key, std::string value) {
    return std::pair(std::string(key), std::move(value));
  };
  return {entry(kFormatKey, std::string(kFormat)),
          entry(kVersionKey, std::to_string(kFormatVersion)),
          entry(kSpecKey, to_text(to_json(draft.spec))),
          entry(kCalibrationKey, to_text(to_json(draft.calibration))),
          entry(kProbesKey, to_text(to_json(draft.probes))),
          entry(kAboutKey, draft.about)};
}

Result<void> store(const TensorSpec& wanted, const std::vector<float>& values,
                   WeightType weight_type, std::vector<TensorBytes>& into) {
  switch (wanted.quantized ? weight_type : WeightType::f32) {
    case WeightType::bf16: {
      SKIM_ASSIGN_OR_RETURN(TensorBytes tensor, store_bf16(wanted.name, wanted.shape, values));
      into.push_back(std::move(tensor));
      break;
    }
    case WeightType::int8: {
      SKIM_ASSIGN_OR_RETURN(Quantized tensor, store_i8(wanted.name, wanted.shape, values));
      into.push_back(std::move(tensor.values));
      into.push_back(std::move(tensor.scale));
      break;
    }
    case WeightType::f32:
      into.push_back(store_f32(wanted.name, wanted.shape, values));
      break;
  }
  return {};
}

Result<std::vector<TensorBytes>> store_tensors(const ModelDraft& draft) {
  std::map<std::string_view, const std::vector<float>*> given;
  for (const ModelDraft::Tensor& tensor : draft.tensors) {
    if (!given.emplace(tensor.name, &tensor.values).second) {
      return cannot_store("tensor '" + tensor.name + "' is duplicated");
    }
  }
  std::vector<TensorBytes> stored;
  for (const TensorSpec& wanted : model_tensors(draft.spec)) {
    const std::string name = "tensor '" + wanted.name + "'";
    const auto found = given.find(wanted.name);
    if (found == given.end()) return cannot_store(name + " is missing");
    const std::vector<float>& values = *found->second;
    std::size_t count = 1;
    for (const std::size_t extent : wanted.shape) count *= extent;
    if (values.size() != count) {
      return cannot_store(name + " has " + std::to_string(values.size()) + " values, expected " +
                          std::to_string(count));
    }
    if (const auto at = find_invalid(DataType::f32, std::as_bytes(std::span(values)))) {
      return cannot_store(name + " holds NaN or infinity at index " + std::to_string(*at));
    }
    if (auto done = store(wanted, values, draft.spec.weight_type, stored); !done) {
      return cannot_store(done.error().message);
    }
    given.erase(found);
  }
  if (given.empty()) return stored;
  return cannot_store("tensor '" + std::string(given.begin()->first) + "' is not in the spec");
}

}  // namespace

Result<std::vector<std::byte>> to_bytes(const ModelDraft& draft) {
  SKIM_RETURN_IF_ERROR(check_draft(draft));
  SKIM_ASSIGN_OR_RETURN(auto tensors, store_tensors(draft));
  auto vocab = store_vocab(draft.vocabulary);
  if (!vocab) return cannot_store(vocab.error().message);
  std::ranges::move(*vocab, std::back_inserter(tensors));
  // Wide types first, so that every tensor is aligned without padding.
  std::ranges::stable_sort(tensors, std::ranges::greater{},
                           [](const TensorBytes& tensor) { return element_size(tensor.type); });
  return serialize_container(make_metadata(draft), tensors);
}

Result<void> write_model_file(const ModelDraft& draft, const std::filesystem::path& path) {
  const auto bytes = to_bytes(draft);
  if (!bytes) {
    return fail(bytes.error().fault, path.string() + ": " + bytes.error().message);
  }
  return write_atomically(path, *bytes);
}

ModelDraft to_draft(const ModelFile& file) {
  ModelDraft draft{.spec = file.spec,
                   .calibration = file.calibration,
                   .probes = file.probes,
                   .about = file.about,
                   .vocabulary = {file.vocabulary.begin(), file.vocabulary.end()},
                   .tensors = {}};
  for (const TensorSpec& tensor : model_tensors(file.spec)) {
    draft.tensors.push_back({tensor.name, to_floats(file, tensor.name)});
  }
  return draft;
}

}  // namespace skim

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "file/format.h"
#include "file/model_file.h"
#include "file/probes.h"
#include "file/safetensors.h"
#include "file/values.h"
#include "file/words.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(Fault::argument, "cannot store the model: " + what);
}

// Everything of the draft that becomes JSON text must be text, or it would not come back.
Result<void> check_texts(const ModelDraft& draft) {
  if (!is_utf8(draft.about)) return wrong("'about' is not valid UTF-8");
  if (!is_utf8(draft.calibration.data)) return wrong("'calibration.data' is not valid UTF-8");
  for (const std::string& label : draft.spec.labels) {
    if (!is_utf8(label)) return wrong("a label is not valid UTF-8");
  }
  for (const Probe& probe : draft.probes) {
    bool valid = is_utf8(probe.query.text) && is_utf8(probe.query.question);
    for (const std::string& choice : probe.query.choices) valid = valid && is_utf8(choice);
    for (const Pass& pass : probe.trace) valid = valid && is_utf8(pass.reader);
    if (!valid) return wrong("a probe is not valid UTF-8");
  }
  return {};
}

// What the loader would refuse must not be written.
Result<void> check_draft(const ModelDraft& draft) {
  if (auto sound = check(draft.spec); !sound) return wrong("spec: " + sound.error().message);
  if (auto sound = check(draft.calibration); !sound) {
    return wrong("calibration: " + sound.error().message);
  }
  if (auto sound = check_texts(draft); !sound) return sound;
  if (draft.vocabulary.size() != static_cast<std::size_t>(draft.spec.vocabulary)) {
    return wrong("it has " + std::to_string(draft.vocabulary.size()) +
                 " words, the spec asks for " + std::to_string(draft.spec.vocabulary));
  }
  if (auto probes = probes_of(json_of(draft.probes), draft.spec, "probes"); !probes) {
    return wrong(probes.error().message);
  }
  return {};
}

Metadata metadata_of(const ModelDraft& draft) {
  const auto entry = [](std::string_view key, std::string value) {
    return std::pair(std::string(key), std::move(value));
  };
  return {entry(kFormatKey, std::string(kFormat)),
          entry(kVersionKey, std::to_string(kFormatVersion)),
          entry(kSpecKey, to_text(json_of(draft.spec))),
          entry(kCalibrationKey, to_text(json_of(draft.calibration))),
          entry(kProbesKey, to_text(json_of(draft.probes))),
          entry(kAboutKey, draft.about)};
}

Result<void> store(const TensorSpec& wanted, const std::vector<float>& values, WeightType weights,
                   std::vector<TensorBytes>& into) {
  const auto keep = [&into](TensorBytes tensor) { into.push_back(std::move(tensor)); };
  switch (wanted.quantized ? weights : WeightType::f32) {
    case WeightType::bf16:
      return store_bf16(wanted.name, wanted.shape, values).map(keep);
    case WeightType::int8:
      return store_i8(wanted.name, wanted.shape, values).map([&](Quantized tensor) {
        keep(std::move(tensor.values));
        keep(std::move(tensor.scale));
      });
    case WeightType::f32:
      break;
  }
  keep(store_f32(wanted.name, wanted.shape, values));
  return {};
}

Result<std::vector<TensorBytes>> store_tensors(const ModelDraft& draft) {
  std::map<std::string_view, const std::vector<float>*> given;
  for (const ModelDraft::Tensor& tensor : draft.tensors) {
    if (!given.emplace(tensor.name, &tensor.values).second) {
      return wrong("tensor '" + tensor.name + "' is given twice");
    }
  }
  std::vector<TensorBytes> stored;
  for (const TensorSpec& wanted : model_tensors(draft.spec)) {
    const std::string name = "tensor '" + wanted.name + "'";
    const auto found = given.find(wanted.name);
    if (found == given.end()) return wrong(name + " is missing");
    const std::vector<float>& values = *found->second;
    std::size_t count = 1;
    for (const std::size_t extent : wanted.shape) count *= extent;
    if (values.size() != count) {
      return wrong(name + " has " + std::to_string(values.size()) + " values, the spec asks for " +
                   std::to_string(count));
    }
    if (const auto at = first_unsound(DataType::f32, std::as_bytes(std::span(values)))) {
      return wrong(name + " holds NaN or infinity at index " + std::to_string(*at));
    }
    if (auto done = store(wanted, values, draft.spec.weights, stored); !done) {
      return wrong(done.error().message);
    }
    given.erase(found);
  }
  if (given.empty()) return stored;
  return wrong("tensor '" + std::string(given.begin()->first) + "' is not in the spec");
}

}  // namespace

Result<std::vector<std::byte>> to_bytes(const ModelDraft& draft) {
  if (auto sound = check_draft(draft); !sound) return tl::make_unexpected(sound.error());
  auto tensors = store_tensors(draft);
  if (!tensors) return tl::make_unexpected(tensors.error());
  auto words = store_words(draft.vocabulary);
  if (!words) return wrong(words.error().message);
  std::ranges::move(*words, std::back_inserter(*tensors));
  // Wide types first, so that every tensor is aligned to its type without holes between them.
  std::ranges::stable_sort(*tensors, std::ranges::greater{},
                           [](const TensorBytes& tensor) { return size_of(tensor.type); });
  return container_bytes(metadata_of(draft), *tensors);
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

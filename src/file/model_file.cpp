#include "file/model_file.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "file/checksum.h"
#include "file/format.h"
#include "file/probes.h"
#include "file/safetensors.h"
#include "file/values.h"
#include "file/words.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t extent : shape) {
    text.append(text.empty() ? "" : "x").append(std::to_string(extent));
  }
  return text;
}

// Turns a sound container into a model, or says what keeps it from being one.
class Loader {
 public:
  Loader(Container container, ModelFile& out) : container_(std::move(container)), out_(out) {}

  Result<void> load() {
    out_.data = container_.data;
    return check_version()
        .and_then([&] { return read_spec(); })
        .and_then([&] { return read_extras(); })
        .and_then([&] { return read_words(); })
        .and_then([&] { return read_tensors(); })
        .and_then([&] { return check_nothing_left(); });
  }

 private:
  tl::unexpected<Error> broken(Fault fault, const std::string& what) const {
    return fail(fault, out_.name + ": " + what);
  }

  Result<std::string_view> metadata(std::string_view key) const {
    const auto found = container_.metadata.find(key);
    if (found != container_.metadata.end()) return std::string_view(found->second);
    return broken(Fault::format, "its metadata lacks '" + std::string(key) + "'");
  }

  // A metadata entry that holds JSON, turned by `read(json, path)` into what it stands for.
  template <class Read>
  auto read_json(std::string_view key, Read read) const {
    const std::string where = out_.name + ": " + std::string(key);
    return metadata(key)
        .and_then([&](std::string_view text) { return parse_json(text, where); })
        .and_then([&](const Json& json) { return read(json, where); });
  }

  Result<void> check_version() const {
    const auto format = metadata(kFormatKey);
    if (!format || *format != kFormat) {
      return broken(Fault::format, "a safetensors file, but not a skim model");
    }
    const auto text = metadata(kVersionKey);
    if (!text) return tl::make_unexpected(text.error());
    int version = 0;
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, version);
    if (parsed.ec != std::errc() || parsed.ptr != end || version < 1) {
      return broken(Fault::format, "its format version makes no sense");
    }
    if (version <= kFormatVersion) return {};
    return broken(Fault::version, "made by a newer skim (file format " + std::to_string(version) +
                                      ", this one reads " + std::to_string(kFormatVersion) +
                                      "); update skim");
  }

  Result<void> read_spec() {
    return read_json(kSpecKey, model_spec_of).map([&](ModelSpec spec) {
      out_.spec = std::move(spec);
    });
  }

  Result<void> read_extras() {
    return read_json(kCalibrationKey, calibration_of)
        .and_then([&](Calibration calibration) {
          out_.calibration = std::move(calibration);
          return read_json(kProbesKey, [&](const Json& json, const std::string& where) {
            return probes_of(json, out_.spec, where);
          });
        })
        .and_then([&](std::vector<Probe> probes) {
          out_.probes = std::move(probes);
          return metadata(kAboutKey);
        })
        .and_then([&](std::string_view about) {
          out_.about = about;
          return metadata(kDataChecksumKey);
        })
        .and_then([&](std::string_view digits) -> Result<void> {
          const auto checksum = checksum_value(digits);
          if (!checksum) return broken(Fault::format, "its data_checksum is not 16 hex digits");
          out_.data_checksum = *checksum;
          return {};
        });
  }

  Result<void> read_words() {
    const auto count = static_cast<std::size_t>(out_.spec.vocabulary);
    auto words = words_of(container_, count, out_.name);
    if (!words) return tl::make_unexpected(words.error());
    out_.vocabulary = std::move(*words);
    container_.tensors.erase(container_.tensors.find(kWordText));
    container_.tensors.erase(container_.tensors.find(kWordEnds));
    return {};
  }

  Result<void> read_tensors() {
    for (const TensorSpec& wanted : model_tensors(out_.spec)) {
      const DataType type = wanted.quantized ? stored_type(out_.spec.weights) : DataType::f32;
      if (auto taken = take(wanted.name, wanted.shape, type); !taken) return taken;
      if (type != DataType::i8) continue;
      if (auto taken = take(wanted.name + ".scale", {wanted.shape[0]}, DataType::f32); !taken) {
        return taken;
      }
      if (auto sound = check_scale(out_.tensors.back()); !sound) return sound;
    }
    return {};
  }

  // Moves a tensor from the container to the model.
  Result<void> take(const std::string& name, const std::vector<std::size_t>& shape, DataType type) {
    const auto found = container_.tensors.find(name);
    const std::string tensor = "tensor '" + name + "'";
    if (found == container_.tensors.end()) {
      return broken(Fault::mismatch, tensor + " is missing");
    }
    if (found->second.shape != shape) {
      return broken(Fault::mismatch, tensor + " is " + shape_text(found->second.shape) +
                                         ", the spec asks for " + shape_text(shape));
    }
    if (found->second.type != type) {
      return broken(Fault::mismatch, tensor + " has the type " +
                                         std::string(name_of(found->second.type)) +
                                         ", the spec asks for " + std::string(name_of(type)));
    }
    if (const auto index = first_unsound(type, found->second.bytes)) {
      return broken(Fault::format, tensor + " holds " +
                                       (type == DataType::i8 ? "-128" : "NaN or infinity") +
                                       " at index " + std::to_string(*index));
    }
    out_.tensors.push_back(std::move(found->second));
    container_.tensors.erase(found);
    return {};
  }

  Result<void> check_scale(const TensorView& scale) const {
    const std::vector<float> values = floats_of(scale, nullptr);
    const auto wrong =
        std::ranges::find_if(values, [](float value) { return value < 0 || value > kMaxScale; });
    if (wrong == values.end()) return {};
    return broken(Fault::format, "tensor '" + scale.name + "' holds " + std::to_string(*wrong) +
                                     " at index " + std::to_string(wrong - values.begin()) +
                                     ", scales go from 0 to 1e36");
  }

  Result<void> check_nothing_left() const {
    if (container_.tensors.empty()) return {};
    return broken(Fault::mismatch, "tensor '" + container_.tensors.begin()->first +
                                       "' is not part of the model its spec describes");
  }

  Container container_;
  ModelFile& out_;
};

Result<ModelFile> open_bytes(std::span<const std::byte> bytes, std::string name,
                             std::shared_ptr<const void> owner) {
  ModelFile file;
  file.name = std::move(name);
  file.owner = std::move(owner);
  auto container = parse_container(bytes, file.name);
  if (!container) return tl::make_unexpected(container.error());
  auto loaded = Loader(std::move(*container), file).load();
  if (!loaded) return tl::make_unexpected(loaded.error());
  return file;
}

}  // namespace

DataType stored_type(WeightType weights) {
  switch (weights) {
    case WeightType::bf16:
      return DataType::bf16;
    case WeightType::int8:
      return DataType::i8;
    case WeightType::f32:
      break;
  }
  return DataType::f32;
}

std::size_t TensorView::count() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

const TensorView* ModelFile::find(std::string_view tensor) const {
  const auto found = std::ranges::find(tensors, tensor, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

Result<ModelFile> open_model_file(const std::filesystem::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return tl::make_unexpected(mapped.error());
  auto owner = std::make_shared<const MappedFile>(std::move(*mapped));
  const auto bytes = owner->bytes();
  return open_bytes(bytes, path.string(), std::move(owner));
}

Result<ModelFile> open_model_bytes(std::vector<std::byte> bytes, std::string name) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view = *owner;
  return open_bytes(view, std::move(name), std::move(owner));
}

std::uint64_t checksum_of_data(std::span<const std::byte> data) {
  return checksum_of(std::span(&data, 1));
}

std::vector<float> to_floats(const ModelFile& file, std::string_view tensor) {
  const TensorView* values = file.find(tensor);
  assert(values != nullptr);
  const bool scaled = values->type == DataType::i8;
  return floats_of(*values, scaled ? file.find(std::string(tensor) + ".scale") : nullptr);
}

}  // namespace skim

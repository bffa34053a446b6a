#include "file/model_file.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "file/checksum.h"
#include "file/format.h"
#include "file/probes.h"
#include "file/safetensors.h"
#include "file/values.h"
#include "file/version1.h"
#include "file/vocab_tensors.h"
#include "spec/params.h"
#include "spec/spec_json.h"

namespace skim {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (const std::size_t extent : shape) {
    text.append(text.size() == 1 ? "" : ", ").append(std::to_string(extent));
  }
  return text + "]";
}

// Loads a model from a validated container.
class Loader {
 public:
  Loader(Container container, ModelFile& out) : container_(std::move(container)), out_(out) {}

  Result<void> load() {
    out_.data = container_.data;
    SKIM_ASSIGN_OR_RETURN(const int version, read_version());
    if (version != kFormatVersion) {
      SKIM_RETURN_IF_ERROR(translate_version1(container_, out_.name));
    }
    SKIM_RETURN_IF_ERROR(read_metadata());
    SKIM_RETURN_IF_ERROR(read_vocabulary());
    SKIM_RETURN_IF_ERROR(read_tensors());
    return check_no_other_tensors();
  }

 private:
  tl::unexpected<Error> broken(Fault fault, const std::string& what) const {
    return fail(fault, out_.name + ": " + what);
  }

  Result<std::string_view> metadata(std::string_view key) const {
    const auto found = container_.metadata.find(key);
    if (found != container_.metadata.end()) return std::string_view(found->second);
    return broken(Fault::format, "metadata '" + std::string(key) + "' is missing");
  }

  // Parses a metadata entry that holds JSON with `read(json, path)`.
  template <class Read>
  std::invoke_result_t<Read, const Json&, const std::string&> read_json(std::string_view key,
                                                                        Read read) const {
    const std::string where = out_.name + ": " + std::string(key);
    SKIM_ASSIGN_OR_RETURN(const std::string_view text, metadata(key));
    SKIM_ASSIGN_OR_RETURN(const Json json, parse_json(text, where));
    return read(json, where);
  }

  Result<int> read_version() const {
    const auto format = metadata(kFormatKey);
    if (!format || *format != kFormat) {
      return broken(Fault::format, "a safetensors file, but not a skim model");
    }
    SKIM_ASSIGN_OR_RETURN(const auto text, metadata(kVersionKey));
    int version = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, version);
    if (parsed.ec != std::errc() || parsed.ptr != end || version < 1) {
      return broken(Fault::format, "its format_version is not a positive number");
    }
    if (version <= kFormatVersion) return version;
    return broken(Fault::version, "made by a newer skim (format version " +
                                      std::to_string(version) + ", this one reads up to " +
                                      std::to_string(kFormatVersion) + "); update skim");
  }

  Result<void> read_metadata() {
    const auto parse_own_probes = [&](const Json& json, const std::string& where) {
      return parse_probes(json, out_.spec, where);
    };
    SKIM_ASSIGN_OR_RETURN(out_.spec, read_json(kSpecKey, parse_model_spec));
    SKIM_ASSIGN_OR_RETURN(out_.calibration, read_json(kCalibrationKey, parse_calibration));
    if (const auto valid = check(out_.calibration, out_.spec); !valid)
      return broken(valid.error().fault, "calibration: " + valid.error().message);
    SKIM_ASSIGN_OR_RETURN(out_.probes, read_json(kProbesKey, parse_own_probes));
    SKIM_ASSIGN_OR_RETURN(out_.about, metadata(kAboutKey));
    SKIM_ASSIGN_OR_RETURN(out_.checksum, metadata(kChecksumKey));
    SKIM_ASSIGN_OR_RETURN(const std::string_view digits, metadata(kDataChecksumKey));
    const auto checksum = checksum_from_hex(digits);
    if (!checksum) return broken(Fault::format, "metadata 'data_checksum' is not 16 hex digits");
    out_.data_checksum = *checksum;
    return {};
  }

  Result<void> read_vocabulary() {
    const auto count = static_cast<std::size_t>(out_.spec.vocab_size);
    SKIM_ASSIGN_OR_RETURN(out_.vocabulary, read_vocab(container_, count, out_.name));
    container_.tensors.erase(container_.tensors.find(kVocabText));
    container_.tensors.erase(container_.tensors.find(kVocabEnds));
    return {};
  }

  Result<void> read_tensors() {
    for (const TensorSpec& wanted : model_tensors(out_.spec)) {
      const DataType type = wanted.quantized ? stored_type(out_.spec.weight_type) : DataType::f32;
      SKIM_RETURN_IF_ERROR(take_tensor(wanted.name, wanted.shape, type));
      if (type != DataType::i8) continue;
      SKIM_RETURN_IF_ERROR(take_tensor(wanted.name + ".scale", {wanted.shape[0]}, DataType::f32));
      SKIM_RETURN_IF_ERROR(check_scale(out_.tensors.back()));
    }
    return {};
  }

  // Moves a tensor from the container to the model.
  Result<void> take_tensor(const std::string& name, const std::vector<std::size_t>& shape,
                           DataType type) {
    const auto found = container_.tensors.find(name);
    const std::string tensor = "tensor '" + name + "'";
    if (found == container_.tensors.end()) {
      return broken(Fault::mismatch, tensor + " is missing");
    }
    if (found->second.shape != shape) {
      return broken(Fault::mismatch, tensor + " has shape " + shape_text(found->second.shape) +
                                         ", expected " + shape_text(shape));
    }
    if (found->second.type != type) {
      return broken(Fault::mismatch, tensor + " has type " +
                                         std::string(to_string(found->second.type)) +
                                         ", expected " + std::string(to_string(type)));
    }
    if (const auto index = find_invalid(type, found->second.bytes)) {
      return broken(Fault::format, tensor + " holds " +
                                       (type == DataType::i8 ? "-128" : "NaN or infinity") +
                                       " at index " + std::to_string(*index));
    }
    out_.tensors.push_back(std::move(found->second));
    container_.tensors.erase(found);
    return {};
  }

  Result<void> check_scale(const TensorView& scale) const {
    const std::vector<float> values = to_floats(scale, nullptr);
    const auto wrong =
        std::ranges::find_if(values, [](float value) { return value < 0 || value > kMaxScale; });
    if (wrong == values.end()) return {};
    return broken(Fault::format, "tensor '" + scale.name + "' holds " + std::to_string(*wrong) +
                                     " at index " + std::to_string(wrong - values.begin()) +
                                     ", expected 0 to 1e36");
  }

  Result<void> check_no_other_tensors() const {
    if (container_.tensors.empty()) return {};
    return broken(Fault::mismatch, "tensor '" + container_.tensors.begin()->first +
                                       "' is not part of the model its spec describes");
  }

  Container container_;
  ModelFile& out_;
};

// Loads the model that `container` holds, whose bytes belong to `owner`.
Result<ModelFile> load_container(Container container, std::string name,
                                 std::shared_ptr<const void> owner) {
  ModelFile file;
  file.name = std::move(name);
  file.owner = std::move(owner);
  SKIM_RETURN_IF_ERROR(Loader(std::move(container), file).load());
  return file;
}

// The data is read after the header was found valid: other files may be of any size.
Result<ModelFile> open_copy(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(auto opened, FileCopy::open(path));
  auto file = std::make_shared<FileCopy>(std::move(opened));
  SKIM_RETURN_IF_ERROR(file->read_until(kLengthBytes));
  SKIM_RETURN_IF_ERROR(file->read_until(claimed_header_bytes(file->bytes())));
  SKIM_ASSIGN_OR_RETURN(auto container, parse_container(file->bytes(), path.string()));
  SKIM_RETURN_IF_ERROR(file->read_until(file->bytes().size()));
  return load_container(std::move(container), path.string(), std::move(file));
}

Result<ModelFile> open_mapping(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(auto opened, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(opened));
  SKIM_ASSIGN_OR_RETURN(auto container, parse_container(file->bytes(), path.string()));
  file->populate();
  return load_container(std::move(container), path.string(), std::move(file));
}

}  // namespace

DataType stored_type(WeightType weight_type) {
  switch (weight_type) {
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

Result<ModelFile> open_model_file(const std::filesystem::path& path, FileAccess access) {
  return access == FileAccess::copy ? open_copy(path) : open_mapping(path);
}

Result<ModelFile> open_model_bytes(std::vector<std::byte> bytes, std::string name) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  SKIM_ASSIGN_OR_RETURN(auto container, parse_container(*owner, name));
  return load_container(std::move(container), std::move(name), std::move(owner));
}

std::uint64_t compute_checksum(std::span<const std::byte> data) {
  return compute_checksum(std::span(&data, 1));
}

Result<void> check_data_checksum(const ModelFile& file) {
  if (compute_checksum(file.data) == file.data_checksum) return {};
  return fail(Fault::format, file.name +
                                 ": the weights do not match their checksum, the file is damaged "
                                 "or incomplete; get or make it again");
}

std::vector<float> to_floats(const ModelFile& file, std::string_view tensor) {
  const TensorView* values = file.find(tensor);
  assert(values != nullptr);
  const bool scaled = values->type == DataType::i8;
  return to_floats(*values, scaled ? file.find(std::string(tensor) + ".scale") : nullptr);
}

}  // namespace skim

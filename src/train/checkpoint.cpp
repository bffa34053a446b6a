#include "train/checkpoint.h"

#include <cstring>

#include "base/file.h"
#include "base/json.h"
#include "file/safetensors.h"

namespace skim::train {
namespace {

constexpr const char* kBest = "best/";

template <class T>
TensorBytes tensor_of(const std::string& name, const std::vector<T>& values) {
  static_assert(sizeof(T) == sizeof(float));
  TensorBytes tensor;
  tensor.name = name;
  tensor.type = std::is_same_v<T, float> ? DataType::f32 : DataType::u32;
  tensor.shape = {values.size()};
  tensor.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

template <class T>
std::vector<T> values_of(const TensorView& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

Json json_of(const Score& score) {
  return {{"accuracy", score.accuracy}, {"loss", score.loss}, {"skim_rate", score.skim_rate}};
}

Score score_of(const Json& json) {
  return {json.value("accuracy", 0.0), json.value("loss", 0.0), json.value("skim_rate", 0.0)};
}

// When training ends is no part of what was trained so far, unless it decides when skimming begins.
bool same_training(const std::string& left, const std::string& right) {
  if (left == right) return true;
  Result<Json> one = parse_json(left, "recipe"), other = parse_json(right, "recipe");
  if (!one || !other || !one->is_object() || !other->is_object()) return false;
  if (one->value("pretrain_fully", false)) return false;
  for (const char* key : {"max_steps", "patience_steps"}) {
    one->erase(key);
    other->erase(key);
  }
  return *one == *other;
}

}  // namespace

Result<void> write_checkpoint(const std::filesystem::path& path, const Fit::State& state,
                              const std::string& recipe) {
  const Json about = {{"step", state.step},
                      {"skims_from", state.skims_from},
                      {"loss", state.loss},
                      {"skim_rate", state.skim_rate},
                      {"seconds", state.seconds},
                      {"best_step", state.best.step},
                      {"best", json_of(state.best.score)}};
  std::vector<TensorBytes> tensors;
  for (const auto& [name, values] : state.arrays) tensors.push_back(tensor_of(name, values));
  tensors.push_back(tensor_of("touched", state.touched));
  for (const auto& [name, values] : state.best.weights)
    tensors.push_back(tensor_of(kBest + name, values));
  if (!state.best.words.empty())
    tensors.push_back(tensor_of(std::string(kBest) + "words", state.best.words));
  return write_atomically(
      path, container_bytes({{"skim_checkpoint", "1"}, {"recipe", recipe}, {"state", about.dump()}},
                            tensors));
}

Result<Fit::State> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& recipe) {
  const Result<Container> container = parse_container(bytes, name);
  if (!container) return tl::unexpected(container.error());
  const auto text = [&](const char* key) {
    const auto found = container->metadata.find(key);
    return found == container->metadata.end() ? std::string() : found->second;
  };
  if (text("skim_checkpoint") != "1")
    return fail(Fault::format, name + ": not a checkpoint of this program");
  const auto sum = container->metadata.find("data_checksum");
  char now[17];
  std::snprintf(now, sizeof now, "%016llx",
                static_cast<unsigned long long>(checksum_of_data(container->data)));
  if (sum == container->metadata.end() || sum->second != now)
    return fail(Fault::format, name + ": the checkpoint's data is damaged");
  if (!same_training(text("recipe"), recipe))
    return fail(Fault::mismatch, name +
                                     ": made with other options or other data; resume with the "
                                     "same, or begin again without --resume");
  const Result<Json> about = parse_json(text("state"), name);
  if (!about) return tl::unexpected(about.error());
  Fit::State state;
  state.step = about->value("step", std::int64_t{0});
  state.skims_from = about->value("skims_from", std::int64_t{0});
  state.loss = about->value("loss", 0.0);
  state.skim_rate = about->value("skim_rate", 0.0);
  state.seconds = about->value("seconds", 0.0);
  state.best.step = about->value("best_step", std::int64_t{0});
  if (about->contains("best")) state.best.score = score_of((*about)["best"]);
  for (const auto& [key, tensor] : container->tensors) {
    if (key == "touched")
      state.touched = values_of<std::int32_t>(tensor);
    else if (key == std::string(kBest) + "words")
      state.best.words = values_of<float>(tensor);
    else if (key.rfind(kBest, 0) == 0)
      state.best.weights[key.substr(std::strlen(kBest))] = values_of<float>(tensor);
    else
      state.arrays[key] = values_of<float>(tensor);
  }
  return state;
}

}  // namespace skim::train

#include "train/checkpoint.h"

#include <cstring>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "file/safetensors.h"
#include "train/training_config.h"

namespace skim::train {
namespace {

constexpr const char* kBest = "best/";

template <class T>
TensorBytes to_tensor(const std::string& name, const std::vector<T>& values) {
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
std::vector<T> to_values(const TensorView& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

Json to_json(const Score& score) {
  return {{"accuracy", score.accuracy}, {"loss", score.loss}, {"skim_rate", score.skim_rate}};
}

Score parse_score(const Json& json) {
  return {json.value("accuracy", 0.0), json.value("loss", 0.0), json.value("skim_rate", 0.0)};
}

bool same_config(const std::string& stored, const std::string& current) {
  if (stored == current) return true;
  Result<Json> before = parse_json(stored, "config"), now = parse_json(current, "config");
  return before && now && can_resume(std::move(*before), std::move(*now));
}

}  // namespace

Result<void> write_checkpoint(const std::filesystem::path& path, const Fit::State& state,
                              const std::string& config) {
  const Json about = {{"step", state.step},
                      {"skim_start_step", state.skim_start_step},
                      {"loss", state.loss},
                      {"skim_rate", state.skim_rate},
                      {"seconds", state.seconds},
                      {"best_step", state.best.step},
                      {"best", to_json(state.best.score)}};
  std::vector<TensorBytes> tensors;
  for (const auto& [name, values] : state.arrays) tensors.push_back(to_tensor(name, values));
  tensors.push_back(to_tensor("ema_steps", state.ema_steps));
  for (const auto& [name, values] : state.best.weights)
    tensors.push_back(to_tensor(kBest + name, values));
  if (!state.best.embeddings.empty())
    tensors.push_back(to_tensor(std::string(kBest) + "embedding.weight", state.best.embeddings));
  return write_atomically(
      path, serialize_container(
                {{"skim_checkpoint", "2"}, {"config", config}, {"state", about.dump()}}, tensors));
}

Result<Fit::State> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& config) {
  SKIM_ASSIGN_OR_RETURN(const Container container, parse_container(bytes, name));
  const auto text = [&](const char* key) {
    const auto found = container.metadata.find(key);
    return found == container.metadata.end() ? std::string() : found->second;
  };
  if (text("skim_checkpoint") != "2")
    return fail(Fault::format,
                name + ": not a checkpoint of this version; start again without --resume");
  const auto sum = container.metadata.find("data_checksum");
  char now[17];
  std::snprintf(now, sizeof now, "%016llx",
                static_cast<unsigned long long>(compute_checksum(container.data)));
  if (sum == container.metadata.end() || sum->second != now)
    return fail(Fault::format, name + ": the checkpoint's data is damaged");
  if (!same_config(text("config"), config))
    return fail(Fault::mismatch, name +
                                     ": made with other options or other data; resume with the "
                                     "same, or start again without --resume");
  SKIM_ASSIGN_OR_RETURN(const Json about, parse_json(text("state"), name));
  Fit::State state;
  state.step = about.value("step", std::int64_t{0});
  state.skim_start_step = about.value("skim_start_step", std::int64_t{0});
  state.loss = about.value("loss", 0.0);
  state.skim_rate = about.value("skim_rate", 0.0);
  state.seconds = about.value("seconds", 0.0);
  state.best.step = about.value("best_step", std::int64_t{0});
  if (about.contains("best")) state.best.score = parse_score(about["best"]);
  for (const auto& [key, tensor] : container.tensors) {
    if (key == "ema_steps")
      state.ema_steps = to_values<std::int32_t>(tensor);
    else if (key == std::string(kBest) + "embedding.weight")
      state.best.embeddings = to_values<float>(tensor);
    else if (key.rfind(kBest, 0) == 0)
      state.best.weights[key.substr(std::strlen(kBest))] = to_values<float>(tensor);
    else
      state.arrays[key] = to_values<float>(tensor);
  }
  return state;
}

}  // namespace skim::train

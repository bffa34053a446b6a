#include "train/checkpoint.h"

#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "file/checksum.h"
#include "file/model_file.h"
#include "file/safetensors.h"
#include "train/training_config.h"

namespace skim::train {
namespace {

constexpr std::string_view kVersion = "2";
constexpr std::string_view kBest = "best/";
constexpr std::string_view kEmaSteps = "ema_steps";
constexpr std::string_view kSubwordEmaSteps = "subword_ema_steps";
constexpr std::string_view kEmbedding = "embedding.weight";
constexpr std::string_view kSubword = "subword.weight";

template <class T>
constexpr DataType kTypeOf = std::is_same_v<T, float> ? DataType::f32 : DataType::u32;

template <class T>
TensorBytes to_tensor(const std::string& name, const std::vector<T>& values) {
  static_assert(sizeof(T) == sizeof(float));
  TensorBytes tensor;
  tensor.name = name;
  tensor.type = kTypeOf<T>;
  tensor.shape = {values.size()};
  tensor.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

template <class T>
Result<void> read_values(const TensorView& tensor, const std::string& file,
                         std::vector<T>& values) {
  if (tensor.type != kTypeOf<T>)
    return fail(Fault::format, file + ": tensor '" + tensor.name + "' has type " +
                                   std::string(to_string(tensor.type)) + ", expected " +
                                   std::string(to_string(kTypeOf<T>)));
  values.resize(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return {};
}

Json to_json(const Score& score) {
  return {{"accuracy", score.accuracy}, {"loss", score.loss}, {"skim_rate", score.skim_rate}};
}

// A number that may be NaN or infinite, which JSON has as null: a loss, after training diverged.
Result<double> metric_at(const Json& object, const char* key, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const Json* const value, field_at(object, key, where));
  if (value->is_null()) return std::numeric_limits<double>::quiet_NaN();
  return as_number(*value, field_path(where, key));
}

Result<Score> parse_score(const Json& json, const std::string& where) {
  Score score;
  SKIM_ASSIGN_OR_RETURN(score.accuracy, metric_at(json, "accuracy", where));
  SKIM_ASSIGN_OR_RETURN(score.loss, metric_at(json, "loss", where));
  SKIM_ASSIGN_OR_RETURN(score.skim_rate, metric_at(json, "skim_rate", where));
  return score;
}

Json progress_json(const TrainingState& state) {
  return {{"step", state.step},
          {"skim_start_step", state.skim_start_step},
          {"loss", state.loss},
          {"skim_rate", state.skim_rate},
          {"seconds", state.seconds},
          {"best_step", state.best.step},
          {"best", to_json(state.best.score)}};
}

Result<void> parse_progress(const Json& json, const std::string& where, TrainingState& state) {
  constexpr IntRange kSteps = {0, std::numeric_limits<std::int64_t>::max()};
  SKIM_ASSIGN_OR_RETURN(state.step, int_at(json, "step", kSteps, where));
  SKIM_ASSIGN_OR_RETURN(state.skim_start_step, int_at(json, "skim_start_step", kSteps, where));
  SKIM_ASSIGN_OR_RETURN(state.loss, metric_at(json, "loss", where));
  SKIM_ASSIGN_OR_RETURN(state.skim_rate, metric_at(json, "skim_rate", where));
  SKIM_ASSIGN_OR_RETURN(state.seconds, number_at(json, "seconds", where));
  SKIM_ASSIGN_OR_RETURN(state.best.step, int_at(json, "best_step", kSteps, where));
  SKIM_ASSIGN_OR_RETURN(const Json* const best, object_at(json, "best", where));
  SKIM_ASSIGN_OR_RETURN(state.best.score, parse_score(*best, where + ".best"));
  return {};
}

Result<void> read_tensor(const TensorView& tensor, const std::string& file, TrainingState& state) {
  const std::string_view name = tensor.name;
  if (name == kEmaSteps) return read_values(tensor, file, state.ema_steps);
  if (name == kSubwordEmaSteps) return read_values(tensor, file, state.subword_ema_steps);
  if (!name.starts_with(kBest)) return read_values(tensor, file, state.arrays[tensor.name]);
  const std::string weight(name.substr(kBest.size()));
  if (weight == kEmbedding) return read_values(tensor, file, state.best.embeddings);
  if (weight == kSubword) return read_values(tensor, file, state.best.subwords);
  return read_values(tensor, file, state.best.weights[weight]);
}

bool same_config(const std::string& stored, const std::string& current) {
  if (stored == current) return true;
  Result<Json> before = parse_json(stored, "config"), now = parse_json(current, "config");
  return before && now && can_resume(std::move(*before), std::move(*now));
}

}  // namespace

std::vector<std::byte> serialize_checkpoint(const TrainingState& state, const std::string& config) {
  std::vector<TensorBytes> tensors;
  for (const auto& [name, values] : state.arrays) tensors.push_back(to_tensor(name, values));
  tensors.push_back(to_tensor(std::string(kEmaSteps), state.ema_steps));
  if (!state.subword_ema_steps.empty())
    tensors.push_back(to_tensor(std::string(kSubwordEmaSteps), state.subword_ema_steps));
  const std::string best(kBest);
  for (const auto& [name, values] : state.best.weights)
    tensors.push_back(to_tensor(best + name, values));
  if (!state.best.embeddings.empty())
    tensors.push_back(to_tensor(best + std::string(kEmbedding), state.best.embeddings));
  if (!state.best.subwords.empty())
    tensors.push_back(to_tensor(best + std::string(kSubword), state.best.subwords));
  return serialize_container({{"skim_checkpoint", std::string(kVersion)},
                              {"config", config},
                              {"state", to_text(progress_json(state))}},
                             tensors);
}

Result<void> write_checkpoint(const std::filesystem::path& path, const TrainingState& state,
                              const std::string& config) {
  return write_atomically(path, serialize_checkpoint(state, config));
}

Result<TrainingState> parse_checkpoint(std::span<const std::byte> bytes, const std::string& name,
                                       const std::string& config) {
  SKIM_ASSIGN_OR_RETURN(const Container container, parse_container(bytes, name));
  const auto text = [&](const char* key) {
    const auto found = container.metadata.find(key);
    return found == container.metadata.end() ? std::string() : found->second;
  };
  if (text("skim_checkpoint") != kVersion)
    return fail(Fault::version,
                name + ": not a checkpoint of this version; start again without --resume");
  if (text("data_checksum") != checksum_to_hex(compute_checksum(container.data)))
    return fail(Fault::format, name + ": the checkpoint's data is damaged");
  if (!same_config(text("config"), config))
    return fail(Fault::mismatch, name +
                                     ": made with other options or other data; resume with the "
                                     "same, or start again without --resume");
  SKIM_ASSIGN_OR_RETURN(const Json progress, parse_json(text("state"), name + ": state"));
  TrainingState state;
  SKIM_RETURN_IF_ERROR(parse_progress(progress, name + ": state", state));
  for (const auto& [key, tensor] : container.tensors)
    SKIM_RETURN_IF_ERROR(read_tensor(tensor, name, state));
  return state;
}

}  // namespace skim::train

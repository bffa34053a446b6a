#include "train/training_config.h"

#include <optional>
#include <string>
#include <type_traits>

#include "train/options_table.h"

namespace skim::train {
namespace {

template <class T>
Json option_json(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return std::string(option_value_name(value));
  else
    return value;
}

Json option_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Json options_json(const Job& job) {
  Json json = Json::object();
  visit_options(job, [&](const OptionInfo& option, const auto& value) {
    if (option.on_resume != OnResume::not_stored) json[checkpoint_key(option)] = option_json(value);
  });
  return json;
}

bool can_resume(Json stored, Json current) {
  if (stored == current) return true;
  if (!stored.is_object() || !current.is_object()) return false;
  // The end of pretraining depends on them.
  if (stored.value("pretrain_fully", false)) return false;
  const Job defaults;
  visit_options(defaults, [&](const OptionInfo& option, const auto&) {
    if (option.on_resume != OnResume::may_change) return;
    stored.erase(checkpoint_key(option));
    current.erase(checkpoint_key(option));
  });
  return stored == current;
}

}  // namespace skim::train

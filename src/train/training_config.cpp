#include "train/training_config.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

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

template <class T>
Json option_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Compares two configurations without the options for which `ignore` is true.
template <class Ignore>
bool equal_without(Json stored, Json current, Ignore ignore) {
  const Job defaults;
  visit_options(defaults, [&](const OptionInfo& option, const auto&) {
    if (!ignore(option.on_resume)) return;
    stored.erase(checkpoint_key(option));
    current.erase(checkpoint_key(option));
  });
  return stored == current;
}

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
  const auto found = stored.find("pretrain_fully");
  const bool pretrain_fully = found != stored.end() && *found == true;
  return equal_without(std::move(stored), std::move(current), [&](OnResume on_resume) {
    return on_resume == OnResume::may_change ||
           (on_resume == OnResume::ends_training && !pretrain_fully);
  });
}

bool is_same_training(Json stored, Json current) {
  if (!stored.is_object() || !current.is_object()) return false;
  return equal_without(std::move(stored), std::move(current), [](OnResume on_resume) {
    return on_resume == OnResume::may_change || on_resume == OnResume::ends_training;
  });
}

}  // namespace skim::train

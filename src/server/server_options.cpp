#include "server/server_options.h"

#include <algorithm>

namespace skim::server {

std::optional<std::size_t> find_model(const std::vector<ServedModel>& models,
                                      std::string_view name) {
  if (name.empty()) return 0;
  const auto found = std::find_if(models.begin(), models.end(),
                                  [name](const ServedModel& each) { return each.name == name; });
  if (found == models.end()) return std::nullopt;
  return static_cast<std::size_t>(found - models.begin());
}

}  // namespace skim::server

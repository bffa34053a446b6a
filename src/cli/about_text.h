// The description in a model file, for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skim::cli {

// Formats the description of a model as pairs of a name and a value. The trainer writes its options
// as a JSON object on the first line: one pair per option, except the spec. All other lines are
// values without a name.
std::vector<std::pair<std::string, std::string>> about_fields(std::string_view about);

}  // namespace skim::cli

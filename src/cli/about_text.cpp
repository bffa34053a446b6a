#include "cli/about_text.h"

#include "base/json.h"
#include "tasks/text_lines.h"

namespace skim::cli {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return to_text(value);
  std::string text;
  for (const Json& element : value) text += (text.empty() ? "" : ", ") + value_text(element);
  return text.empty() ? "none" : text;
}

// Adds the fields of an object; those of objects in it have names such as "adam.clip".
void add_fields(const Json& object, const std::string& prefix, Fields& fields) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      add_fields(value, prefix + name + ".", fields);
    } else {
      fields.emplace_back(prefix + name, value_text(value));
    }
  }
}

}  // namespace

Fields about_fields(std::string_view about) {
  Fields fields;
  TextLines lines(about);
  while (const auto line = lines.next()) {
    auto options = fields.empty() ? parse_json(line->text, "about") : Result<Json>();
    if (options && options->is_object()) {
      options->erase("spec");
      add_fields(*options, "", fields);
    } else {
      fields.emplace_back("", std::string(line->text));
    }
  }
  return fields;
}

}  // namespace skim::cli

#include "wire/query_json.h"

#include <utility>

#include "base/result_macros.h"

namespace skim {
namespace {

FieldResult<std::vector<std::string>> parse_choices(Json& value) {
  if (!value.is_array()) return field_error("choices", "must be a list of strings");
  std::vector<std::string> choices;
  choices.reserve(value.size());
  for (Json& each : value) {
    SKIM_ASSIGN_OR_RETURN(auto choice,
                          parse_string(each, "choices[" + std::to_string(choices.size()) + "]"));
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace

FieldResult<std::string> parse_string(Json& value, const std::string& field) {
  if (!value.is_string()) return field_error(field, "must be a string");
  return std::move(value.get_ref<std::string&>());
}

FieldResult<Query> parse_query(Json& object) {
  if (!object.is_object()) return field_error("", "must be a JSON object with \"text\"");
  Query query;
  const auto text = object.find("text");
  if (text == object.end()) return field_error("text", "is missing; it must be a string");
  SKIM_ASSIGN_OR_RETURN(query.text, parse_string(*text, "text"));
  if (const auto question = object.find("question"); question != object.end()) {
    SKIM_ASSIGN_OR_RETURN(query.question, parse_string(*question, "question"));
  }
  if (const auto choices = object.find("choices"); choices != object.end()) {
    SKIM_ASSIGN_OR_RETURN(query.choices, parse_choices(*choices));
  }
  return query;
}

}  // namespace skim

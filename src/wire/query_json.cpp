#include "wire/query_json.h"

#include <utility>

namespace skim {
namespace {

FieldResult<std::vector<std::string>> take_choices(Json& value) {
  if (!value.is_array()) return field_fault("choices", "must be a list of strings");
  std::vector<std::string> choices;
  choices.reserve(value.size());
  for (Json& each : value) {
    auto one = take_string(each, "choices[" + std::to_string(choices.size()) + "]");
    if (!one) return tl::make_unexpected(std::move(one.error()));
    choices.push_back(std::move(*one));
  }
  return choices;
}

}  // namespace

FieldResult<std::string> take_string(Json& value, const std::string& field) {
  if (!value.is_string()) return field_fault(field, "must be a string");
  return std::move(value.get_ref<std::string&>());
}

FieldResult<Query> take_query(Json& object) {
  if (!object.is_object()) return field_fault("", "must be a JSON object with \"text\"");
  Query query;
  const auto text = object.find("text");
  if (text == object.end()) return field_fault("text", "is missing; it must be a string");
  auto taken = take_string(*text, "text");
  if (!taken) return tl::make_unexpected(std::move(taken.error()));
  query.text = std::move(*taken);
  if (const auto question = object.find("question"); question != object.end()) {
    auto asked = take_string(*question, "question");
    if (!asked) return tl::make_unexpected(std::move(asked.error()));
    query.question = std::move(*asked);
  }
  if (const auto choices = object.find("choices"); choices != object.end()) {
    auto among = take_choices(*choices);
    if (!among) return tl::make_unexpected(std::move(among.error()));
    query.choices = std::move(*among);
  }
  return query;
}

}  // namespace skim

#include "tasks/json_example.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result_macros.h"
#include "tasks/soft_labels.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

std::optional<std::string> parse_label(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return std::nullopt;
}

const Json* find(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

Result<void> read_label(const Json& object, Example& example) {
  const Json* const value = find(object, "label");
  const auto label = value == nullptr ? std::nullopt : parse_label(*value);
  if (!label && find(object, "labels") != nullptr)
    return line_error(example.line,
                      "has \"labels\" instead of one \"label\"; train with --task multilabel");
  if (!label) return line_error(example.line, "has no \"label\" that is a string or an integer");
  if (label->empty()) return line_error(example.line, "the label is empty");
  example.label = *label;
  return {};
}

Result<void> add_label(const Json& value, Example& example) {
  const auto label = parse_label(value);
  if (!label || label->empty())
    return line_error(example.line, "has a label that is neither a string nor an integer");
  if (std::find(example.labels.begin(), example.labels.end(), *label) != example.labels.end())
    return {};
  example.label += (example.labels.empty() ? "" : ",") + *label;
  example.labels.push_back(*label);
  return {};
}

Result<void> read_labels(const Json& object, Example& example) {
  const Json* value = find(object, "labels");
  if (value == nullptr) value = find(object, "label");
  if (value == nullptr)
    return line_error(example.line, "has no \"labels\"; expected a list, which may be empty");
  if (!value->is_array()) return add_label(*value, example);
  for (const Json& each : *value) SKIM_RETURN_IF_ERROR(add_label(each, example));
  return {};
}

Result<void> read_number(const Json& object, Example& example) {
  const Json* const value = find(object, "label");
  const bool is_text = value != nullptr && value->is_string();
  if (value != nullptr && (is_text || value->is_number())) {
    example.label = is_text ? value->get<std::string>() : to_text(*value);
    if (const auto number = parse_number(example.label)) {
      example.value = *number;
      return {};
    }
  }
  return line_error(example.line, "has no \"label\" that is a finite number");
}

tl::unexpected<Error> weight_error(const Example& example, std::string_view text) {
  return line_error(example.line, "the weight is '" + std::string(text.substr(0, 80)) +
                                      "', expected a number from 0 to 1000000");
}

}  // namespace

Result<void> read_weight(std::string_view text, Example& example) {
  constexpr double kMaxWeight = 1e6;
  const auto weight = parse_number(text);
  if (!weight || *weight < 0 || *weight > kMaxWeight) return weight_error(example, text);
  example.weight = static_cast<float>(*weight);
  return {};
}

Result<void> read_json_example(LabelKind kind, const Json& object, Example& example) {
  if (!object.is_object()) return line_error(example.line, "is not a JSON object");
  const Json* const text = find(object, "text");
  if (text == nullptr || !text->is_string())
    return line_error(example.line, "has no string \"text\"");
  example.query.text = text->get<std::string>();
  if (const Json* const weight = find(object, "weight"))
    SKIM_RETURN_IF_ERROR(read_weight(to_text(*weight), example));
  if (const Json* const scores = find(object, "scores");
      scores != nullptr && kind != LabelKind::number) {
    SKIM_RETURN_IF_ERROR(read_soft_labels(*scores, example));
    example.labelled = find(object, "label") != nullptr || find(object, "labels") != nullptr;
    if (!example.labelled) return {};
  }
  switch (kind) {
    case LabelKind::single:
      break;
    case LabelKind::multiple:
      return read_labels(object, example);
    case LabelKind::number:
      return read_number(object, example);
  }
  return read_label(object, example);
}

}  // namespace skim

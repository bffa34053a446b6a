#include "spec/spec_json.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/result_macros.h"
#include "spec/names.h"
#include "spec/params.h"

namespace skim {
namespace {

constexpr IntRange kInt32 = {-2147483648LL, 2147483647LL};

Result<int> parse_int32(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const auto value, as_int(json, kInt32, where));
  return static_cast<int>(value);
}

Result<int> int32_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const auto value, int_at(object, key, kInt32, where));
  return static_cast<int>(value);
}

template <class E>
Result<E> enum_at(const Json& object, std::string_view key, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(const std::string name, string_at(object, key, where));
  return enum_from_name<E>(name, field_path(where, key));
}

Result<JumpSpec> parse_jump(const Json& json, std::string_view where) {
  JumpSpec spec;
  SKIM_ASSIGN_OR_RETURN(spec.tokens_per_jump, int32_at(json, "tokens_per_jump", where));
  SKIM_ASSIGN_OR_RETURN(spec.max_jump, int32_at(json, "max_jump", where));
  SKIM_ASSIGN_OR_RETURN(spec.max_jumps, int32_at(json, "max_jumps", where));
  if (!json.contains("sentence_end_ids")) return spec;
  SKIM_ASSIGN_OR_RETURN(spec.sentence_end_ids,
                        list_at<int>(json, "sentence_end_ids", where, parse_int32));
  return spec;
}

Result<CharCnnSpec> parse_char_cnn(const Json& json, std::string_view where) {
  CharCnnSpec spec;
  SKIM_ASSIGN_OR_RETURN(spec.embedding_size, int32_at(json, "embedding_size", where));
  SKIM_ASSIGN_OR_RETURN(spec.num_filters, int32_at(json, "num_filters", where));
  SKIM_ASSIGN_OR_RETURN(spec.kernel_size, int32_at(json, "kernel_size", where));
  return spec;
}

Result<SubwordSpec> parse_subwords(const Json& json, std::string_view where) {
  SubwordSpec spec;
  SKIM_ASSIGN_OR_RETURN(spec.min_length, int32_at(json, "min_length", where));
  SKIM_ASSIGN_OR_RETURN(spec.max_length, int32_at(json, "max_length", where));
  SKIM_ASSIGN_OR_RETURN(spec.num_buckets, int32_at(json, "num_buckets", where));
  if (spec.num_buckets > 0) return spec;
  return fail(Fault::format, field_path(where, "num_buckets") + " must be at least 1");
}

Result<ReaderSpec> parse_reader(const Json& json, std::string_view where) {
  ReaderSpec spec;
  SKIM_ASSIGN_OR_RETURN(spec.kind, enum_at<ReaderKind>(json, "kind", where));
  SKIM_ASSIGN_OR_RETURN(spec.cell, enum_at<Cell>(json, "cell", where));
  SKIM_ASSIGN_OR_RETURN(spec.input_size, int32_at(json, "input_size", where));
  SKIM_ASSIGN_OR_RETURN(spec.hidden_size, int32_at(json, "hidden_size", where));
  SKIM_ASSIGN_OR_RETURN(spec.skim_sizes, list_at<int>(json, "skim_sizes", where, parse_int32));
  SKIM_ASSIGN_OR_RETURN(spec.small_input, enum_at<SmallInput>(json, "small_input", where));
  SKIM_ASSIGN_OR_RETURN(spec.decision, enum_at<Decision>(json, "decision", where));
  if (spec.kind != ReaderKind::lstm_jump) return spec;
  SKIM_ASSIGN_OR_RETURN(const Json* const jump, field_at(json, "jump", where));
  SKIM_ASSIGN_OR_RETURN(spec.jump, parse_jump(*jump, field_path(where, "jump")));
  return spec;
}

Result<float> parse_float(const Json& json, const std::string& where) {
  SKIM_ASSIGN_OR_RETURN(const double value, as_number(json, where));
  return static_cast<float>(value);
}

Result<Calibration::Point> parse_point(const Json& json, std::string_view where) {
  Calibration::Point point;
  SKIM_ASSIGN_OR_RETURN(point.threshold, number_at(json, "threshold", where));
  SKIM_ASSIGN_OR_RETURN(point.work, number_at(json, "work", where));
  return point;
}

// Validates `value`; prepends `where` to the error.
template <class T>
Result<T> checked(T value, std::string_view where) {
  if (auto valid = check(value); !valid) {
    return fail(valid.error().fault, std::string(where) + ": " + valid.error().message);
  }
  return value;
}

}  // namespace

Json to_json(const ReaderSpec& spec) {
  Json json = {{"kind", to_string(spec.kind)},        {"cell", to_string(spec.cell)},
               {"input_size", spec.input_size},       {"hidden_size", spec.hidden_size},
               {"skim_sizes", spec.skim_sizes},       {"small_input", to_string(spec.small_input)},
               {"decision", to_string(spec.decision)}};
  if (spec.kind == ReaderKind::lstm_jump) {
    json["jump"] = {{"tokens_per_jump", spec.jump.tokens_per_jump},
                    {"max_jump", spec.jump.max_jump},
                    {"max_jumps", spec.jump.max_jumps}};
    if (!spec.jump.sentence_end_ids.empty())
      json["jump"]["sentence_end_ids"] = spec.jump.sentence_end_ids;
  }
  return json;
}

Json to_json(const ModelSpec& spec) {
  Json json = {{"net", to_string(spec.net)},
               {"tokenizer", to_string(spec.tokenizer)},
               {"vocab_size", spec.vocab_size},
               {"embedding_size", spec.embedding_size},
               {"reader", to_json(spec.reader)},
               {"num_layers", spec.num_layers},
               {"bidirectional", spec.bidirectional},
               {"pooling", to_string(spec.pooling)},
               {"weight_type", to_string(spec.weight_type)},
               {"labels", spec.labels}};
  if (spec.output != OutputActivation::softmax) json["output"] = to_string(spec.output);
  const CharCnnSpec& char_cnn = spec.char_cnn;
  if (spec.net == NetKind::bidaf)
    json["char_cnn"] = {{"embedding_size", char_cnn.embedding_size},
                        {"num_filters", char_cnn.num_filters},
                        {"kernel_size", char_cnn.kernel_size}};
  if (spec.subwords.enabled())
    json["subwords"] = {{"min_length", spec.subwords.min_length},
                        {"max_length", spec.subwords.max_length},
                        {"num_buckets", spec.subwords.num_buckets}};
  return json;
}

Json to_json(const Calibration& calibration) {
  Json points = Json::array();
  for (const Calibration::Point& point : calibration.points) {
    points.push_back({{"threshold", point.threshold}, {"work", point.work}});
  }
  Json json = {{"data", calibration.data}, {"points", std::move(points)}};
  if (calibration.temperature != 1) json["temperature"] = calibration.temperature;
  if (!calibration.label_thresholds.empty())
    json["label_thresholds"] = calibration.label_thresholds;
  return json;
}

Json to_json(const Policy& policy) {
  return {{"threshold", policy.threshold}, {"rule", to_string(policy.rule)}, {"seed", policy.seed}};
}

Result<ReaderSpec> parse_reader_spec(const Json& json, std::string_view where) {
  SKIM_ASSIGN_OR_RETURN(ReaderSpec spec, parse_reader(json, where));
  return checked(std::move(spec), where);
}

Result<ModelSpec> parse_model_spec(const Json& json, std::string_view where) {
  ModelSpec spec;
  SKIM_ASSIGN_OR_RETURN(spec.net, enum_at<NetKind>(json, "net", where));
  SKIM_ASSIGN_OR_RETURN(spec.tokenizer, enum_at<TokenizerKind>(json, "tokenizer", where));
  SKIM_ASSIGN_OR_RETURN(spec.vocab_size, int32_at(json, "vocab_size", where));
  SKIM_ASSIGN_OR_RETURN(spec.embedding_size, int32_at(json, "embedding_size", where));
  SKIM_ASSIGN_OR_RETURN(const Json* const reader, field_at(json, "reader", where));
  SKIM_ASSIGN_OR_RETURN(spec.reader, parse_reader(*reader, field_path(where, "reader")));
  SKIM_ASSIGN_OR_RETURN(spec.num_layers, int32_at(json, "num_layers", where));
  SKIM_ASSIGN_OR_RETURN(spec.bidirectional, bool_at(json, "bidirectional", where));
  SKIM_ASSIGN_OR_RETURN(spec.pooling, enum_at<Pooling>(json, "pooling", where));
  SKIM_ASSIGN_OR_RETURN(spec.weight_type, enum_at<WeightType>(json, "weight_type", where));
  if (json.contains("output")) {
    SKIM_ASSIGN_OR_RETURN(spec.output, enum_at<OutputActivation>(json, "output", where));
  }
  SKIM_ASSIGN_OR_RETURN(spec.labels, list_at<std::string>(json, "labels", where, as_string));
  if (spec.net == NetKind::bidaf) {
    SKIM_ASSIGN_OR_RETURN(const Json* const char_cnn, field_at(json, "char_cnn", where));
    SKIM_ASSIGN_OR_RETURN(spec.char_cnn, parse_char_cnn(*char_cnn, field_path(where, "char_cnn")));
  }
  if (json.contains("subwords")) {
    SKIM_ASSIGN_OR_RETURN(spec.subwords,
                          parse_subwords(json.at("subwords"), field_path(where, "subwords")));
  }
  return checked(std::move(spec), where);
}

Result<Calibration> parse_calibration(const Json& json, std::string_view where) {
  Calibration calibration;
  SKIM_ASSIGN_OR_RETURN(calibration.data, string_at(json, "data", where));
  SKIM_ASSIGN_OR_RETURN(calibration.points,
                        list_at<Calibration::Point>(json, "points", where, parse_point));
  if (json.contains("temperature")) {
    SKIM_ASSIGN_OR_RETURN(calibration.temperature, number_at(json, "temperature", where));
  }
  if (json.contains("label_thresholds")) {
    SKIM_ASSIGN_OR_RETURN(calibration.label_thresholds,
                          list_at<float>(json, "label_thresholds", where, parse_float));
  }
  return checked(std::move(calibration), where);
}

Result<Policy> parse_policy(const Json& json, std::string_view where) {
  Policy policy;
  SKIM_ASSIGN_OR_RETURN(const double threshold, number_at(json, "threshold", where));
  SKIM_ASSIGN_OR_RETURN(policy.rule, enum_at<Policy::Rule>(json, "rule", where));
  SKIM_ASSIGN_OR_RETURN(policy.seed, unsigned_at(json, "seed", where));
  if (!(threshold >= 0 && threshold <= 1)) {
    return fail(Fault::format, field_path(where, "threshold") + " must be from 0 to 1");
  }
  policy.threshold = static_cast<float>(threshold);
  return policy;
}

Result<void> check(const Calibration& calibration) {
  const Calibration::Point* previous = nullptr;
  for (const Calibration::Point& point : calibration.points) {
    const std::string at = "the point at threshold " + std::to_string(point.threshold);
    if (!(point.threshold >= 0 && point.threshold <= 1)) {
      return fail(Fault::format, at + " is outside 0 to 1");
    }
    if (!std::isfinite(point.work) || point.work < 0) {
      return fail(Fault::format, at + " has work " + std::to_string(point.work));
    }
    if (previous != nullptr && point.threshold <= previous->threshold) {
      return fail(Fault::format, at + " does not exceed the threshold before it");
    }
    if (previous != nullptr && point.work > previous->work) {
      return fail(Fault::format, at + " has more work than a lower threshold");
    }
    previous = &point;
  }
  for (const float threshold : calibration.label_thresholds) {
    // Written so that NaN fails.
    if (!(threshold >= 0 && threshold <= 1))
      return fail(Fault::format,
                  "label_thresholds holds " + std::to_string(threshold) + ", expected 0 to 1");
  }
  // Written so that NaN fails.
  const double temperature = calibration.temperature;
  if (temperature >= kMinTemperature && temperature <= kMaxTemperature) return {};
  return fail(Fault::format,
              "temperature is " + std::to_string(temperature) + ", expected 0.05 to 20");
}

Result<void> check(const Calibration& calibration, const ModelSpec& spec) {
  SKIM_RETURN_IF_ERROR(check(calibration));
  if (calibration.temperature != 1 && !spec.is_softmax_classifier())
    return fail(Fault::mismatch,
                "only the scores of a classifier with one label per text have a temperature, "
                "remove it");
  const std::size_t thresholds = calibration.label_thresholds.size();
  if (thresholds == 0) return {};
  if (spec.output != OutputActivation::sigmoid)
    return fail(Fault::format, "label_thresholds must be absent unless output is sigmoid");
  if (thresholds == spec.labels.size()) return {};
  return fail(Fault::format, "label_thresholds has " + std::to_string(thresholds) +
                                 " entries for " + std::to_string(spec.labels.size()) + " labels");
}

}  // namespace skim

// Specs, calibrations and policies to and from JSON. Fields have the names of the C++ members.
#pragma once

#include <string_view>

#include "base/json.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

Json to_json(const ReaderSpec& spec);
Json to_json(const ModelSpec& spec);
Json to_json(const Calibration& calibration);
Json to_json(const Policy& policy);

// Parses and validates. A missing field, a wrong type or an unknown name is an error with the path
// of the field, which starts with `where`. Unknown fields are ignored. Specs have passed check().
Result<ReaderSpec> parse_reader_spec(const Json& json, std::string_view where);
Result<ModelSpec> parse_model_spec(const Json& json, std::string_view where);
Result<Calibration> parse_calibration(const Json& json, std::string_view where);
Result<Policy> parse_policy(const Json& json, std::string_view where);

inline constexpr double kMinTemperature = 0.05, kMaxTemperature = 20;

// Validates that thresholds increase within 0 to 1, work is finite and never increases, the
// temperature is in its range, and the thresholds of labels are from 0 to 1.
Result<void> check(const Calibration& calibration);
// Also validates that a model of this spec may have the temperature, and that the thresholds of
// labels fit its labels.
Result<void> check(const Calibration& calibration, const ModelSpec& spec);

}  // namespace skim

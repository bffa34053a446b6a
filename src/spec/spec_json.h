// Specs, calibrations and policies to and from JSON, field by field as the headers name them.
#pragma once

#include <string_view>

#include "base/json.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

Json json_of(const ReaderSpec& spec);
Json json_of(const ModelSpec& spec);
Json json_of(const Calibration& calibration);
Json json_of(const Policy& policy);

// The way back. A missing field, a wrong type or an unknown name is an error that gives its path,
// which starts with `where`; fields this version does not know are passed over. Specs have been
// through check().
Result<ReaderSpec> reader_spec_of(const Json& json, std::string_view where);
Result<ModelSpec> model_spec_of(const Json& json, std::string_view where);
Result<Calibration> calibration_of(const Json& json, std::string_view where);
Result<Policy> policy_of(const Json& json, std::string_view where);

// Thresholds rise within 0 to 1, work never rises and is finite.
Result<void> check(const Calibration& calibration);

}  // namespace skim

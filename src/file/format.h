// Constants of the model file format, described in docs/file-format.md.
#pragma once

#include <string_view>

#include "file/model_file.h"
#include "skim/spec.h"

namespace skim {

inline constexpr std::string_view kFormat = "skim";
inline constexpr int kFormatVersion = 2;

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kVersionKey = "format_version";
inline constexpr std::string_view kSpecKey = "spec";
inline constexpr std::string_view kCalibrationKey = "calibration";
inline constexpr std::string_view kProbesKey = "probes";
inline constexpr std::string_view kAboutKey = "about";
inline constexpr std::string_view kDataChecksumKey = "data_checksum";
inline constexpr std::string_view kChecksumKey = "checksum";

// The type in which tensors marked as quantized are stored.
DataType stored_type(WeightType weight_type);

}  // namespace skim

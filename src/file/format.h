// The fixed words of the format, for loader and writer. docs/file-format.md describes them.
#pragma once

#include <string_view>

#include "file/model_file.h"
#include "skim/spec.h"

namespace skim {

inline constexpr std::string_view kFormat = "skim";
inline constexpr int kFormatVersion = 1;

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kVersionKey = "format_version";
inline constexpr std::string_view kSpecKey = "spec";
inline constexpr std::string_view kCalibrationKey = "calibration";
inline constexpr std::string_view kProbesKey = "probes";
inline constexpr std::string_view kAboutKey = "about";
inline constexpr std::string_view kDataChecksumKey = "data_checksum";

// How tensors marked as quantized are stored.
DataType stored_type(WeightType weights);

}  // namespace skim

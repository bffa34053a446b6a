// Description of the machine, reported with every measurement.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace skim {

struct Machine {
  std::string cpu;  // model name as reported by the operating system
  int cores = 0;
  std::string simd;  // instruction set selected by the kernels, e.g. "AVX2"
};

Machine this_machine();
Json to_json(const Machine& machine);
// "AMD EPYC 7B13, 2 cores, AVX2"
std::string to_string(const Machine& machine);

// Extracts the model name from the text of /proc/cpuinfo; empty when absent.
std::string cpu_name(std::string_view cpuinfo);

}  // namespace skim

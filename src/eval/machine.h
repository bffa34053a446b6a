// The machine a figure was taken on: no figure means anything without it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace skim {

struct Machine {
  std::string cpu;  // as the system calls it
  int cores = 0;
  std::string simd;  // the instruction set the kernels chose, e.g. "AVX2"
};

Machine this_machine();
Json to_json(const Machine& machine);
// "AMD EPYC 7B13, 2 cores, AVX2"
std::string to_string(const Machine& machine);

// The processor's name in the text of /proc/cpuinfo; empty if it is not told.
std::string cpu_name(std::string_view cpuinfo);

}  // namespace skim

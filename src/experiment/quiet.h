// Whether the machine is quiet enough to time something.
#pragma once

#include <string_view>

#include "skim/result.h"

namespace skim {

// Time that all processors spent since the system started, in ticks.
struct ProcessorTime {
  double busy = 0;
  double all = 0;
};

// From the text of /proc/stat.
Result<ProcessorTime> processor_time(std::string_view stat);

// How many processors others keep busy, measured over a moment; 0 is a quiet machine.
Result<double> busy_processors(double seconds);

}  // namespace skim

// Runs tests once for each SIMD target of the machine.
#pragma once

#include "kernels/targets.h"
// Above: must come before any Highway header.
#include <hwy/targets.h>

#include <cstdint>

namespace skim {

// Makes dispatch select `target`; 0 restores the best one.
inline void select_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Calls `check` once for each SIMD target that this machine supports, and once more with AVX-512
// VNNI where it has that.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    select_target(target);
    check();
  }
  select_target(0);
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) check();
}

}  // namespace skim

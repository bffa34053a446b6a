#include "kernels/sequence_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence_gru.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/two_levels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

SequenceEnd ReadGru(const SequenceArgs& args) { return RunSequence<GruGates>(args); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(ReadGru);

SequenceEnd read_gru(const SequenceArgs& args) noexcept {
  return HWY_DYNAMIC_DISPATCH(ReadGru)(args);
}

}  // namespace skim
#endif

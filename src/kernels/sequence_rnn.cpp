#include "kernels/sequence_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence_rnn.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/two_levels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

SequenceEnd ReadRnn(const SequenceArgs& args) { return RunSequence<RnnGates>(args); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(ReadRnn);

SequenceEnd read_rnn(const SequenceArgs& args) noexcept {
  return HWY_DYNAMIC_DISPATCH(ReadRnn)(args);
}

}  // namespace skim
#endif

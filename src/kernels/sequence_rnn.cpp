#include "kernels/sequence_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence_rnn.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/binary_skim-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

SequenceResult RnnForward(const SequenceArgs& args) { return SequenceForward<RnnGates>(args); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(RnnForward);

SequenceResult rnn_forward(const SequenceArgs& args) noexcept {
  return HWY_DYNAMIC_DISPATCH(RnnForward)(args);
}

}  // namespace skim
#endif

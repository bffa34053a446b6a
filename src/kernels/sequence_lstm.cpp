#include "kernels/sequence_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence_lstm.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/two_levels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

SequenceEnd ReadLstm(const SequenceArgs& args) { return RunSequence<LstmGates>(args); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(ReadLstm);

SequenceEnd read_lstm(const SequenceArgs& args) noexcept {
  return HWY_DYNAMIC_DISPATCH(ReadLstm)(args);
}

}  // namespace skim
#endif

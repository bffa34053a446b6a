#include "kernels/gathered_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gathered_lstm.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/gathered-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

void LstmBeginBlock(GatheredSequence& sequence) { BeginBlockOf<LstmGates>(sequence); }

std::size_t LstmSkimAhead(GatheredSequence** sequences, std::size_t count, std::size_t enough) {
  return SkimAheadOf<LstmGates>(sequences, count, enough);
}

void LstmReadTogether(GatheredSequence* const* sequences, std::size_t count) {
  ReadTogetherOf<LstmGates>(sequences, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(LstmBeginBlock);
HWY_EXPORT(LstmSkimAhead);
HWY_EXPORT(LstmReadTogether);

void lstm_begin_block(GatheredSequence& sequence) noexcept {
  HWY_DYNAMIC_DISPATCH(LstmBeginBlock)(sequence);
}

std::size_t lstm_skim_ahead(GatheredSequence** sequences, std::size_t count,
                            std::size_t enough) noexcept {
  return HWY_DYNAMIC_DISPATCH(LstmSkimAhead)(sequences, count, enough);
}

void lstm_read_together(GatheredSequence* const* sequences, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(LstmReadTogether)(sequences, count);
}

}  // namespace skim
#endif

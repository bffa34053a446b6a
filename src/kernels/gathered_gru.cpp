#include "kernels/gathered_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gathered_gru.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/gathered-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

void GruBeginBlock(GatheredSequence& sequence) { BeginBlockOf<GruGates>(sequence); }

std::size_t GruSkimAhead(GatheredSequence** sequences, std::size_t count, std::size_t enough) {
  return SkimAheadOf<GruGates>(sequences, count, enough);
}

void GruReadTogether(GatheredSequence* const* sequences, std::size_t count) {
  ReadTogetherOf<GruGates>(sequences, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(GruBeginBlock);
HWY_EXPORT(GruSkimAhead);
HWY_EXPORT(GruReadTogether);

void gru_begin_block(GatheredSequence& sequence) noexcept {
  HWY_DYNAMIC_DISPATCH(GruBeginBlock)(sequence);
}

std::size_t gru_skim_ahead(GatheredSequence** sequences, std::size_t count,
                           std::size_t enough) noexcept {
  return HWY_DYNAMIC_DISPATCH(GruSkimAhead)(sequences, count, enough);
}

void gru_read_together(GatheredSequence* const* sequences, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(GruReadTogether)(sequences, count);
}

}  // namespace skim
#endif

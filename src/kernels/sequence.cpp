#include "kernels/sequence.h"

#include "kernels/sequence_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

void LogitsToProbabilities(float* values, std::size_t count) {
  const FloatTag d;
  const Vec one = hn::Set(d, 1.0F);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec power = PowerOfTwo(d, hn::Mul(hn::LoadU(d, values + i), hn::Set(d, kSigmoidFold)));
    hn::StoreU(hn::Div(one, hn::Add(one, power)), d, values + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(LogitsToProbabilities);

SequenceResult sequence_forward(const SequenceArgs& args) noexcept {
  switch (args.cell) {
    case Cell::lstm:
      return lstm_forward(args);
    case Cell::gru:
      return gru_forward(args);
    case Cell::rnn:
      return rnn_forward(args);
  }
  return {};
}

void logits_to_probabilities(float* values, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(LogitsToProbabilities)(values, count);
}

}  // namespace skim
#endif

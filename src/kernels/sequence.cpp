#include "kernels/sequence.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sequence.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/sequence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

SequenceEnd ReadSequence(const SequenceArgs& args) {
  switch (args.cell) {
    case Cell::lstm:
      return RunCellKind<LstmGates>(args);
    case Cell::gru:
      return RunCellKind<GruGates>(args);
    case Cell::rnn:
      return RunCellKind<RnnGates>(args);
  }
  return {};
}

void LogitsToProbabilities(Step* steps, std::size_t count) {
  const FloatTag d;
  constexpr std::size_t kMost = HWY_MAX_BYTES / sizeof(float);
  HWY_ALIGN float values[kMost] = {};
  for (std::size_t t = 0; t < count; t += hn::Lanes(d)) {
    const std::size_t some = std::min(hn::Lanes(d), count - t);
    for (std::size_t i = 0; i < some; ++i) values[i] = steps[t + i].p_read;
    const Vec one = hn::Set(d, 1.0F);
    const Vec power = PowerOfTwo(d, hn::Mul(hn::Load(d, values), hn::Set(d, kSigmoidFold)));
    hn::Store(hn::Div(one, hn::Add(one, power)), d, values);
    for (std::size_t i = 0; i < some; ++i) steps[t + i].p_read = values[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(ReadSequence);
HWY_EXPORT(LogitsToProbabilities);

SequenceEnd read_sequence(const SequenceArgs& args) noexcept {
  return HWY_DYNAMIC_DISPATCH(ReadSequence)(args);
}

void logits_to_probabilities(Step* steps, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(LogitsToProbabilities)(steps, count);
}

}  // namespace skim
#endif

#include "readers/leaping.h"

#include <algorithm>
#include <cstring>

#include "kernels/pool.h"
#include "readers/kinds.h"

namespace skim {
namespace {

ReaderSpec plain_of(ReaderSpec spec) {
  spec.kind = ReaderKind::full;
  return spec;
}

}  // namespace

LeapingReader::LeapingReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                             const WordSource* words, std::size_t table_bytes)
    : spec_(spec),
      plain_(make_recurrent_reader(plain_of(spec), tensors, weights, words, table_bytes)) {}

void LeapingReader::start(State& state) const {
  plain_->start(state);
  state.pace = {};
  begin(state.pace);
}

LeapingReader::Ahead LeapingReader::ahead(const Input& input, std::size_t done) {
  const std::size_t count = input.count(), question = std::min(input.question, count);
  const std::size_t left = count - done;
  if (input.backward)
    return left > question ? Ahead{left - question, {}, true} : Ahead{left, {}, false};
  const bool asked = done >= question;
  const std::size_t next = asked ? left : question - done;
  return {next, input.words.empty() ? input.words : input.words.subspan(done, next), asked};
}

void LeapingReader::read(const Input& input, const Policy& policy, State& state,
                         const Output& output, std::span<Step> steps,
                         Scratch& scratch) const noexcept {
  const std::size_t count = input.count();
  float* log = output.log;
  for (std::size_t done = 0; done < count;) {
    const Leap leap = next(ahead(input, done), policy, state);
    const auto size = static_cast<std::size_t>(leap.count);
    const std::size_t first = input.backward ? count - done - size : done;
    const std::span<Step> taken = steps.subspan(first, size);
    MutableRows rows;
    if (output.rows.data != nullptr)
      rows = {output.rows.row(first), size, output.rows.width, output.rows.stride};
    if (leap.read) {
      plain_->read(input.part(first, size), policy, state, {rows, log}, taken, scratch);
      for (Step& step : taken) step.p_read = leap.p_read;
      if (log != nullptr) log += size * static_cast<std::size_t>(spec_.hidden);
    } else {
      std::fill(taken.begin(), taken.end(), Step{0, leap.p_read});
      for (std::size_t i = 0; i < size && rows.data != nullptr; ++i)
        std::memcpy(rows.row(i), state.hidden.data(), rows.width * sizeof(float));
      state.position += size;
    }
    passed(leap, policy, state, scratch);
    done += size;
  }
}

Buffer<float> with_slack(const Tensors& tensors, std::string_view name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name != name) continue;
    Buffer<float> copy(tensor.values.size() + kPoolSlack);
    std::copy(tensor.values.begin(), tensor.values.end(), copy.data());
    return copy;
  }
  return {};
}

}  // namespace skim

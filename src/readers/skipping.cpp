#include "readers/skipping.h"

#include <algorithm>
#include <cstring>

#include "kernels/pool.h"
#include "readers/factories.h"

namespace skim {
namespace {

ReaderSpec dense_spec(ReaderSpec spec) {
  spec.kind = ReaderKind::dense;
  return spec;
}

}  // namespace

SkippingReader::SkippingReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                               const EmbeddingTable* embeddings, std::size_t table_bytes)
    : spec_(spec),
      dense_(make_recurrent_reader(dense_spec(spec), tensors, weights, embeddings, table_bytes)) {}

void SkippingReader::start(State& state) const {
  dense_->start(state);
  state.skip_state = {};
  init_skip_state(state.skip_state);
}

SkippingReader::Remaining SkippingReader::remaining_input(const Input& input, std::size_t done) {
  const std::size_t count = input.count(), question_begin = std::min(input.question_begin, count);
  const std::size_t unread = count - done;
  if (input.backward)
    return unread > question_begin ? Remaining{unread - question_begin, {}, true}
                                   : Remaining{unread, {}, false};
  const bool in_question = done >= question_begin;
  const std::size_t next = in_question ? unread : question_begin - done;
  return {next, input.ids.empty() ? input.ids : input.ids.subspan(done, next), in_question};
}

void SkippingReader::read(const Input& input, const Policy& policy, State& state,
                          const Output& output, std::span<Step> steps, Scratch& scratch) const {
  const std::size_t count = input.count();
  float* log = output.log;
  for (std::size_t done = 0; done < count;) {
    const Segment segment = next_segment(remaining_input(input, done), policy, state);
    const auto size = static_cast<std::size_t>(segment.count);
    const std::size_t first = input.backward ? count - done - size : done;
    const std::span<Step> segment_steps = steps.subspan(first, size);
    MutableRows rows;
    if (output.rows.data != nullptr)
      rows = {output.rows.row(first), size, output.rows.width, output.rows.stride};
    if (segment.read) {
      dense_->read(input.part(first, size), policy, state, {rows, log}, segment_steps, scratch);
      for (Step& step : segment_steps) step.p_read = segment.p_read;
      if (log != nullptr) log += size * static_cast<std::size_t>(spec_.hidden_size);
    } else {
      std::fill(segment_steps.begin(), segment_steps.end(), Step{0, segment.p_read});
      for (std::size_t i = 0; i < size && rows.data != nullptr; ++i)
        std::memcpy(rows.row(i), state.hidden.data(), rows.width * sizeof(float));
      state.position += size;
    }
    after_step(segment, policy, state, scratch);
    done += size;
  }
}

Buffer<float> with_padding(const Tensors& tensors, std::string_view name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name != name) continue;
    Buffer<float> copy(tensor.values.size() + kPoolPadding);
    std::copy(tensor.values.begin(), tensor.values.end(), copy.data());
    return copy;
  }
  return {};
}

}  // namespace skim

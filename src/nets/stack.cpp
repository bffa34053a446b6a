#include "nets/stack.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "readers/gathered_reader.h"
#include "spec/params.h"

namespace skim {
namespace {

// Words per chunk. The update log is sized for a chunk in which every word is read, so chunks keep
// its size close to what is used; a chunk is long enough to amortize its fixed cost.
constexpr std::size_t kChunkWords = 1024;
// Of texts that are read at once, each of which has its own log: one block of a reader.
constexpr std::size_t kGatheredChunkWords = kBlockRows;

static_assert(kLogPadding >= kPoolPadding);

std::unique_ptr<Reader> make_layer_reader(const NetParts& parts, const StackSpec& stack, int layer,
                                          bool backward) {
  const ReaderSpec spec = stack.layer_reader(layer);
  const std::string prefix = reader_prefix(stack.name, layer, backward);
  const std::vector<TensorSpec> specs = reader_tensors(spec);
  std::vector<std::vector<float>> values;
  Tensors tensors;
  for (const TensorSpec& tensor : specs) {
    values.push_back(to_floats(parts.file, prefix + tensor.name));
    tensors.push_back({tensor.name, values.back()});
  }
  if (layer > 0 || !parts.spec.reads_embeddings())
    return make_reader(spec, tensors, parts.spec.weight_type);
  const auto table_bytes = parts.table_bytes / static_cast<std::size_t>(stack.directions());
  return make_reader(spec, tensors, parts.spec.weight_type, &parts.embeddings, table_bytes);
}

}  // namespace

Buffer<float> with_padding(const std::vector<float>& values) {
  Buffer<float> buffer(values.size() + kPoolPadding);
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

Stack::Stack(const NetParts& parts, const StackSpec& spec, StackOutput output,
             std::size_t first_pass)
    : spec_(spec), output_(output), first_pass_(first_pass) {
  for (int layer = 0; layer < spec_.num_layers; ++layer) {
    for (int direction = 0; direction < spec_.directions(); ++direction) {
      readers_.push_back(make_layer_reader(parts, spec_, layer, direction == 1));
    }
  }
  for (int level = 0; level < spec_.reader.levels(); ++level) {
    widths_.push_back(spec_.reader.width(level));
  }
}

void Stack::start(NetMemory& memory, std::size_t run) const {
  memory.passes.resize(std::max(memory.passes.size(), pass_index(readers_.size(), run)));
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    NetMemory::PassMemory& pass = memory.passes[pass_index(i, run)];
    readers_[i]->start(pass.state);
    // Each reader samples its decisions independently.
    pass.state.stream = pass_index(i, run);
    pass.log_used = 0;
    pass.steps.clear();
    pass.full_steps.clear();
  }
}

// Each chunk runs through all layers before the next one, so its rows stay in the cache and their
// buffer is small. A backward reader starts at the end, so bidirectional stacks take the whole
// text.
Rows Stack::forward(const Input& input, const Policy& policy, NetMemory& memory,
                    std::size_t run) const {
  const bool whole = spec_.bidirectional || output_ == StackOutput::rows;
  const std::size_t chunk = whole ? input.count() : kChunkWords;
  Rows rows;
  for (std::size_t done = 0; done < input.count(); done += chunk) {
    Input layer_input = input.part(done, std::min(chunk, input.count() - done));
    layer_input.composed = memory.composed.data();
    for (int layer = 0; layer < spec_.num_layers; ++layer) {
      rows = forward_layer(static_cast<std::size_t>(layer), layer_input, policy, memory, run);
      layer_input.ids = {};
      layer_input.rows = rows;
    }
  }
  return rows;
}

bool Stack::can_gather() const {
  return readers_.size() == 1 && output_ != StackOutput::rows && !logs_full_rows() &&
         readers_.front()->can_gather();
}

std::unique_ptr<GatheredReader> Stack::gather() const {
  return can_gather() ? readers_.front()->gather() : nullptr;
}

bool Stack::next_chunk(std::span<const std::uint32_t> ids, const Policy& policy, NetMemory& memory,
                       TextChunk& chunk) const {
  NetMemory::PassMemory& pass = memory.passes[first_pass_];
  const bool logs = output_ == StackOutput::updates;
  if (logs) count_logged(chunk.steps, pass);
  const std::size_t done = pass.steps.size();
  if (done == ids.size()) return false;
  const std::size_t count = std::min(kGatheredChunkWords, ids.size() - done);
  pass.steps.resize(done + count);
  chunk.ids = ids.subspan(done, count);
  chunk.composed = memory.composed.data();
  chunk.policy = policy;
  chunk.state = &pass.state;
  chunk.log = logs ? log_output(count, pass).log : nullptr;
  chunk.steps = std::span(pass.steps).subspan(done);
  return true;
}

// Rows start on cache lines.
std::size_t Stack::output_stride() const {
  return round_up(output_size(), kCacheLine / sizeof(float));
}

MutableRows Stack::layer_rows(std::size_t layer, std::size_t count, NetMemory& memory) const {
  Buffer<float>& buffer = memory.rows[layer % 2];
  buffer.grow(count * output_stride() + kPoolPadding);
  return {buffer.data(), count, output_size(), output_stride()};
}

// Forward pass of the readers of one layer; returns their hidden states side by side, if anybody
// needs them.
Rows Stack::forward_layer(std::size_t layer, Input input, const Policy& policy, NetMemory& memory,
                          std::size_t run) const {
  const bool last = layer + 1 == static_cast<std::size_t>(spec_.num_layers);
  MutableRows rows;
  if (!last || output_ == StackOutput::rows) rows = layer_rows(layer, input.count(), memory);
  for (std::size_t direction = 0; direction < directions(); ++direction) {
    const std::size_t index = layer * directions() + direction;
    NetMemory::PassMemory& pass = memory.passes[pass_index(index, run)];
    const std::size_t before = pass.steps.size();
    pass.steps.resize(before + input.count());
    const std::span<Step> steps = std::span(pass.steps).subspan(before);
    Output output;
    if (rows.data != nullptr) {
      output.rows = {rows.data + direction * hidden_size(), rows.count, hidden_size(), rows.stride};
    } else if (output_ == StackOutput::updates) {
      output = log_output(input.count(), pass);
    }
    input.backward = direction == 1;
    readers_[index]->read(input, policy, pass.state, output, steps, memory.scratch);
    if (output_ == StackOutput::updates && last) count_logged(steps, pass);
  }
  return {rows.data, rows.count, output_size(), rows.stride};
}

// Room for `count` updates at the end of the log of a pass.
Output Stack::log_output(std::size_t count, NetMemory::PassMemory& pass) const {
  pass.log.grow(pass.log_used + count * hidden_size() + kLogPadding);
  float* end = pass.log.data() + pass.log_used;
  Output output;
  if (logs_full_rows())
    output.rows = {end, count, hidden_size(), hidden_size()};
  else
    output.log = end;
  return output;
}

void Stack::count_logged(std::span<const Step> steps, NetMemory::PassMemory& pass) const {
  if (logs_full_rows()) {
    pass.log_used += steps.size() * hidden_size();
    pass.full_steps.resize(pass.steps.size(), Step{static_cast<std::uint16_t>(hidden_size()), 1});
    return;
  }
  for (const Step& step : steps) pass.log_used += step.width;
}

UpdateLog Stack::update_log(const NetMemory& memory, std::size_t direction) const {
  const NetMemory::PassMemory& pass = last_pass(memory, direction);
  if (logs_full_rows())
    return {pass.log.data(), pass.full_steps.data(), pass.full_steps.size(), widths_.data()};
  return {pass.log.data(), pass.steps.data(),     pass.steps.size(),
          widths_.data(),  spec_.reader.levels(), direction == 1};
}

}  // namespace skim

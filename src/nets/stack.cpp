#include "nets/stack.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "spec/params.h"

namespace skim {
namespace {

// Words per chunk. The update log is sized for a chunk in which every word is read, so chunks keep
// its size close to what is used; a chunk is long enough to amortize its fixed cost.
constexpr std::size_t kChunkWords = 1024;

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

Rows Stack::forward(Input input, const Policy& policy, NetMemory& memory, std::size_t run) const {
  if (spec_.bidirectional || output_ == StackOutput::rows)
    return forward_layers(input, policy, memory, run);
  // Each chunk runs through all layers before the next one, so its rows stay in the cache and their
  // buffer is small.
  for (std::size_t done = 0; done < input.count();) {
    const std::size_t count = std::min(kChunkWords, input.count() - done);
    forward_layers(input.part(done, count), policy, memory, run);
    done += count;
  }
  return {};
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

Rows Stack::forward_layers(Input input, const Policy& policy, NetMemory& memory,
                           std::size_t run) const {
  if (input.count() == 0) return {};
  const std::size_t count = input.count();
  const auto layers = static_cast<std::size_t>(spec_.num_layers);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    MutableRows rows;
    if (layer + 1 < layers || output_ == StackOutput::rows) rows = layer_rows(layer, count, memory);
    for (std::size_t direction = 0; direction < directions(); ++direction) {
      input.backward = direction == 1;
      MutableRows half = rows;
      if (rows.data != nullptr) half.data += direction * hidden_size();
      half.width = hidden_size();
      const std::size_t index = layer * directions() + direction;
      forward_pass(index, input, half, policy, memory, memory.passes[pass_index(index, run)]);
    }
    input.ids = {};
    input.rows = {rows.data, rows.count, output_size(), rows.stride};
  }
  return input.rows;
}

// Forward pass of one reader; writes its hidden states to `rows` unless they are null.
void Stack::forward_pass(std::size_t index, const Input& input, const MutableRows& rows,
                         const Policy& policy, NetMemory& memory,
                         NetMemory::PassMemory& pass) const {
  const bool logs = rows.data == nullptr && output_ == StackOutput::updates;
  const std::size_t before = pass.steps.size();
  pass.steps.resize(before + input.count());
  const std::span<Step> steps = std::span(pass.steps).subspan(before);
  const std::size_t log_begin = pass.log_used;
  for (std::size_t done = 0, count = 0; done < steps.size(); done += count) {
    count = std::min(kChunkWords, steps.size() - done);
    const std::size_t begin = input.backward ? steps.size() - done - count : done;
    Output output;
    if (rows.data != nullptr) output.rows = {rows.row(begin), count, rows.width, rows.stride};
    if (logs && logs_full_rows()) {
      pass.log.grow(log_begin + steps.size() * hidden_size() + kLogPadding);
      output.rows = {pass.log.data() + log_begin + begin * hidden_size(), count, hidden_size(),
                     hidden_size()};
    } else if (logs) {
      pass.log.grow(pass.log_used + count * hidden_size() + kLogPadding);
      output.log = pass.log.data() + pass.log_used;
    }
    const std::span<Step> chunk_steps = steps.subspan(begin, count);
    readers_[index]->read(input.part(begin, count), policy, pass.state, output, chunk_steps,
                          memory.scratch);
    if (!logs || logs_full_rows()) continue;
    for (const Step& step : chunk_steps) pass.log_used += step.width;
  }
  if (!logs || !logs_full_rows()) return;
  pass.log_used = log_begin + steps.size() * hidden_size();
  pass.full_steps.resize(pass.steps.size(), Step{static_cast<std::uint16_t>(hidden_size()), 1});
}

UpdateLog Stack::update_log(const NetMemory& memory, std::size_t direction) const {
  const NetMemory::PassMemory& pass = last_pass(memory, direction);
  if (logs_full_rows())
    return {pass.log.data(), pass.full_steps.data(), pass.full_steps.size(), widths_.data()};
  return {pass.log.data(), pass.steps.data(),     pass.steps.size(),
          widths_.data(),  spec_.reader.levels(), direction == 1};
}

}  // namespace skim

#include "nets/stack.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "spec/params.h"

namespace skim {
namespace {

// Words between two looks at the memory. A log has room for its words all being read, so reading
// piece by piece keeps it near what is used; a piece is long enough that its start costs nothing.
constexpr std::size_t kPiece = 1024;

static_assert(kLogSlack >= kPoolSlack);

std::unique_ptr<Reader> reader_from(const NetParts& parts, const StackSpec& stack, int layer,
                                    bool backward) {
  const ReaderSpec spec = stack.reader_of(layer);
  const std::string prefix = reader_prefix(stack.name, layer, backward);
  const std::vector<TensorSpec> wanted = reader_tensors(spec);
  std::vector<std::vector<float>> values;
  Tensors tensors;
  for (const TensorSpec& tensor : wanted) {
    values.push_back(to_floats(parts.file, prefix + tensor.name));
    tensors.push_back({tensor.name, values.back()});
  }
  if (layer > 0 || !parts.spec.reads_words()) return make_reader(spec, tensors, parts.spec.weights);
  const auto share = parts.table_bytes / static_cast<std::size_t>(stack.directions());
  return make_reader(spec, tensors, parts.spec.weights, &parts.words, share);
}

}  // namespace

Buffer<float> with_slack(const std::vector<float>& values) {
  Buffer<float> buffer(values.size() + kPoolSlack);
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

Stack::Stack(const NetParts& parts, const StackSpec& spec, Keep keep, std::size_t first_pass)
    : spec_(spec), keep_(keep), first_pass_(first_pass) {
  for (int layer = 0; layer < spec_.layers; ++layer) {
    for (int direction = 0; direction < spec_.directions(); ++direction) {
      readers_.push_back(reader_from(parts, spec_, layer, direction == 1));
    }
  }
  for (int level = 0; level < spec_.reader.levels(); ++level) {
    widths_.push_back(spec_.reader.width(level));
  }
}

void Stack::start(NetMemory& memory, std::size_t again) const {
  memory.passes.resize(std::max(memory.passes.size(), place(readers_.size(), again)));
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    NetMemory::PassMemory& pass = memory.passes[place(i, again)];
    readers_[i]->start(pass.state);
    // Sampled decisions of one reader say nothing of another's.
    pass.state.stream = place(i, again);
    pass.log_used = 0;
    pass.steps.clear();
    pass.whole.clear();
  }
}

Rows Stack::read(Input input, const Policy& policy, NetMemory& memory, std::size_t again) const {
  if (spec_.bidirectional || keep_ == Keep::rows) return read_through(input, policy, memory, again);
  // One piece goes through all layers before the next: its rows are still near, and there are
  // never more than a piece of them.
  for (std::size_t done = 0; done < input.count();) {
    const std::size_t count = std::min(kPiece, input.count() - done);
    read_through(input.part(done, count), policy, memory, again);
    done += count;
  }
  return {};
}

// Rows start at cache lines.
std::size_t Stack::row_stride() const { return round_up(row_width(), kCacheLine / sizeof(float)); }

MutableRows Stack::rows_of(std::size_t layer, std::size_t count, NetMemory& memory) const {
  Buffer<float>& buffer = memory.rows[layer % 2];
  buffer.grow(count * row_stride() + kPoolSlack);
  return {buffer.data(), count, row_width(), row_stride()};
}

Rows Stack::read_through(Input input, const Policy& policy, NetMemory& memory,
                         std::size_t again) const {
  if (input.count() == 0) return {};
  const std::size_t count = input.count();
  const auto layers = static_cast<std::size_t>(spec_.layers);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    MutableRows rows;
    if (layer + 1 < layers || keep_ == Keep::rows) rows = rows_of(layer, count, memory);
    for (std::size_t direction = 0; direction < directions(); ++direction) {
      input.backward = direction == 1;
      MutableRows half = rows;
      if (rows.data != nullptr) half.data += direction * hidden();
      half.width = hidden();
      const std::size_t index = layer * directions() + direction;
      read_pass(index, input, half, policy, memory, memory.passes[place(index, again)]);
    }
    input.words = {};
    input.rows = {rows.data, rows.count, row_width(), rows.stride};
  }
  return input.rows;
}

// Reads with one reader; `rows` is where its rows go, absent where nobody wants them.
void Stack::read_pass(std::size_t index, const Input& input, const MutableRows& rows,
                      const Policy& policy, NetMemory& memory, NetMemory::PassMemory& pass) const {
  const bool logs = rows.data == nullptr && keep_ == Keep::log;
  const std::size_t before = pass.steps.size();
  pass.steps.resize(before + input.count());
  const std::span<Step> steps = std::span(pass.steps).subspan(before);
  const std::size_t log_begin = pass.log_used;
  for (std::size_t done = 0, count = 0; done < steps.size(); done += count) {
    count = std::min(kPiece, steps.size() - done);
    const std::size_t begin = input.backward ? steps.size() - done - count : done;
    Output output;
    if (rows.data != nullptr) output.rows = {rows.row(begin), count, rows.width, rows.stride};
    if (logs && whole_rows()) {
      pass.log.grow(log_begin + steps.size() * hidden() + kLogSlack);
      output.rows = {pass.log.data() + log_begin + begin * hidden(), count, hidden(), hidden()};
    } else if (logs) {
      pass.log.grow(pass.log_used + count * hidden() + kLogSlack);
      output.log = pass.log.data() + pass.log_used;
    }
    const std::span<Step> taken = steps.subspan(begin, count);
    readers_[index]->read(input.part(begin, count), policy, pass.state, output, taken,
                          memory.scratch);
    if (!logs || whole_rows()) continue;
    for (const Step& step : taken) pass.log_used += step.width;
  }
  if (!logs || !whole_rows()) return;
  pass.log_used = log_begin + steps.size() * hidden();
  pass.whole.resize(pass.steps.size(), Step{static_cast<std::uint16_t>(hidden()), 1});
}

PoolLog Stack::log_of(const NetMemory& memory, std::size_t direction) const {
  const NetMemory::PassMemory& pass = last_pass(memory, direction);
  if (whole_rows()) return {pass.log.data(), pass.whole.data(), pass.whole.size(), widths_.data()};
  return {pass.log.data(), pass.steps.data(),     pass.steps.size(),
          widths_.data(),  spec_.reader.levels(), direction == 1};
}

}  // namespace skim

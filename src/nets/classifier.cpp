#include "nets/classifier.h"

#include <algorithm>
#include <string>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "spec/params.h"

namespace skim {
namespace {

// Words between two looks at the memory. A log has room for its words all being read, so reading
// piece by piece keeps it near what is used; a piece is long enough that its start costs nothing.
constexpr std::size_t kPiece = 1024;

static_assert(kLogSlack >= kPoolSlack);

Buffer<float> with_slack(const std::vector<float>& values) {
  Buffer<float> buffer(values.size() + kPoolSlack);
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

std::unique_ptr<Reader> reader_from(const NetParts& parts, int layer, bool backward) {
  const ReaderSpec spec = parts.spec.reader_of(layer);
  const std::string prefix = reader_prefix(layer, backward);
  const std::vector<TensorSpec> wanted = reader_tensors(spec);
  std::vector<std::vector<float>> values;
  Tensors tensors;
  for (const TensorSpec& tensor : wanted) {
    values.push_back(to_floats(parts.file, prefix + tensor.name));
    tensors.push_back({tensor.name, values.back()});
  }
  if (layer > 0) return make_reader(spec, tensors, parts.spec.weights);
  const auto share = parts.table_bytes / static_cast<std::size_t>(parts.spec.directions());
  return make_reader(spec, tensors, parts.spec.weights, &parts.words, share);
}

class Classifier final : public Net {
 public:
  explicit Classifier(const NetParts& parts) : spec_(parts.spec) {
    for (int layer = 0; layer < spec_.layers; ++layer) {
      for (int direction = 0; direction < spec_.directions(); ++direction) {
        readers_.push_back(reader_from(parts, layer, direction == 1));
      }
    }
    for (int level = 0; level < spec_.reader.levels(); ++level) {
      widths_.push_back(spec_.reader.width(level));
    }
    if (spec_.pooling == Pooling::attention) pool_w_ = with_slack(to_floats(parts.file, "pool.w"));
    head_w_ = with_slack(to_floats(parts.file, "head.w"));
    head_b_ = with_slack(to_floats(parts.file, "head.b"));
  }

  const ModelSpec& spec() const override { return spec_; }

  void start(NetMemory& memory) const override {
    memory.passes.resize(readers_.size());
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      readers_[i]->start(memory.passes[i].state);
      memory.passes[i].state.stream =
          i;  // sampled decisions of one reader say nothing of another's
      memory.passes[i].log_used = 0;
      memory.passes[i].steps.clear();
      memory.passes[i].whole.clear();
    }
  }

  void read(std::span<const std::uint32_t> words, const Policy& policy,
            NetMemory& memory) const override {
    if (spec_.bidirectional) return read_through(words, policy, memory);
    // One piece goes through all layers before the next: its rows are still near, and there are
    // never more than a piece of them.
    while (!words.empty()) {
      const std::size_t count = std::min(kPiece, words.size());
      read_through(words.first(count), policy, memory);
      words = words.subspan(count);
    }
  }

  void scores(NetMemory& memory, std::span<float> scores) const override {
    pool(memory);
    memory.work.grow(scores.size() + kPoolSlack);
    float* logits = memory.work.data();
    dense({head_w_.data(), head_b_.data(), scores.size(), row_width()}, memory.pooled.data(),
          logits);
    softmax(logits, scores.size());
    std::copy_n(logits, scores.size(), scores.begin());
  }

 private:
  std::size_t hidden() const { return static_cast<std::size_t>(spec_.reader.hidden); }
  std::size_t row_width() const { return static_cast<std::size_t>(spec_.row_width()); }
  std::size_t directions() const { return static_cast<std::size_t>(spec_.directions()); }
  // A pooling that saves work needs updates of a few widths; where every word has its own, it gets
  // the rows.
  bool whole_rows() const { return spec_.reader.kind == ReaderKind::vary; }
  // Rows start at cache lines.
  std::size_t row_stride() const { return round_up(row_width(), kCacheLine / sizeof(float)); }

  void read_through(std::span<const std::uint32_t> words, const Policy& policy,
                    NetMemory& memory) const {
    if (words.empty()) return;
    Input input;
    input.words = words;
    const auto layers = static_cast<std::size_t>(spec_.layers);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      MutableRows rows;
      if (layer + 1 < layers) rows = rows_of(layer, words.size(), memory);
      for (std::size_t direction = 0; direction < directions(); ++direction) {
        input.backward = direction == 1;
        MutableRows half = rows;
        if (rows.data != nullptr) half.data += direction * hidden();
        half.width = hidden();
        read_pass(layer * directions() + direction, input, half, policy, memory);
      }
      input.words = {};
      input.rows = {rows.data, rows.count, row_width(), rows.stride};
    }
  }

  MutableRows rows_of(std::size_t layer, std::size_t count, NetMemory& memory) const {
    Buffer<float>& buffer = memory.rows[layer % 2];
    buffer.grow(count * row_stride() + kPoolSlack);
    return {buffer.data(), count, row_width(), row_stride()};
  }

  // Reads with one reader; `rows` is where its rows go, absent for the last layer.
  void read_pass(std::size_t index, const Input& input, const MutableRows& rows,
                 const Policy& policy, NetMemory& memory) const {
    NetMemory::PassMemory& pass = memory.passes[index];
    const bool logs = rows.data == nullptr && spec_.pooling != Pooling::last;
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

  PoolLog log_of(const NetMemory& memory, std::size_t direction) const {
    const NetMemory::PassMemory& pass = last_pass(memory, direction);
    if (whole_rows())
      return {pass.log.data(), pass.whole.data(), pass.whole.size(), widths_.data()};
    return {pass.log.data(), pass.steps.data(),     pass.steps.size(),
            widths_.data(),  spec_.reader.levels(), direction == 1};
  }

  const NetMemory::PassMemory& last_pass(const NetMemory& memory, std::size_t direction) const {
    return memory.passes[memory.passes.size() - directions() + direction];
  }

  void pool(NetMemory& memory) const {
    memory.pooled.grow(row_width() + kPoolSlack);
    if (spec_.pooling == Pooling::attention) attend(memory);
    const std::size_t count = last_pass(memory, 0).steps.size();
    for (std::size_t direction = 0; direction < directions(); ++direction) {
      float* out = memory.pooled.data() + direction * hidden();
      const PoolLog log = log_of(memory, direction);
      switch (spec_.pooling) {
        case Pooling::last:
          std::copy_n(last_pass(memory, direction).state.hidden.data(), hidden(), out);
          break;
        case Pooling::max:
          pool_max(log, out);
          break;
        case Pooling::mean:
          pool_sum(log, nullptr, out);
          for (std::size_t i = 0; i < hidden() && count > 0; ++i) {
            out[i] /= static_cast<float>(count);
          }
          break;
        case Pooling::attention:
          pool_sum(log, memory.work.data(), out);
          break;
      }
    }
  }

  // How much each word counts, into memory.work. A word's score is that of its whole row.
  void attend(NetMemory& memory) const {
    const std::size_t count = last_pass(memory, 0).steps.size();
    memory.work.grow(count + kPoolSlack);
    float* scores = memory.work.data();
    std::fill_n(scores, count, 0.0F);
    for (std::size_t direction = 0; direction < directions(); ++direction) {
      pool_scores(log_of(memory, direction), pool_w_.data() + direction * hidden(), scores);
    }
    softmax(scores, count);
  }

  ModelSpec spec_;
  std::vector<std::unique_ptr<Reader>> readers_;  // in the order of NetMemory::passes
  std::vector<int> widths_;                       // of the levels, falling
  Buffer<float> pool_w_, head_w_, head_b_;
};

}  // namespace

std::unique_ptr<Net> make_classifier(const NetParts& parts) {
  return std::make_unique<Classifier>(parts);
}

}  // namespace skim

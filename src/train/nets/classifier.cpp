#include "train/nets/classifier.h"

#include "spec/params.h"

namespace skim::train {
namespace {

using torch::Tensor;

enum class Kept { grow, stay };

// One factor for each entry of a text's row: 0, or what keeps the sum as it was (or 1, if kept
// entries stay).
Tensor dropout_mask(const Batch& batch, std::int64_t width, double rate, const Noise& noise,
                    bool of_rows, Kept kept = Kept::grow) {
  const std::int64_t count = of_rows ? batch.rows() : batch.texts();
  Tensor mask = torch::empty({count, width});
  float* values = mask.data_ptr<float>();
  const auto keep = kept == Kept::grow ? static_cast<float>(1 / (1 - rate)) : 1.0F;
  at::parallel_for(0, batch.texts(), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const Noise text = noise.at(batch.items[static_cast<std::size_t>(i)]);
      const std::int64_t length = of_rows ? batch.lengths[static_cast<std::size_t>(i)] : 1;
      for (std::int64_t t = 0; t < length; ++t) {
        float* row = values + (of_rows ? batch.steps.row(i, t) : i) * width;
        for (std::int64_t j = 0; j < width; ++j)
          row[j] = text.share(static_cast<std::uint64_t>(t * width + j)) < static_cast<float>(rate)
                       ? 0.0F
                       : keep;
      }
    }
  });
  return mask;
}

// Rows of each text side by side, [texts, longest, width]; beyond a text's end its first row.
Tensor padded(const Tensor& rows, const Batch& batch, Tensor& inside) {
  const std::int64_t texts = batch.texts(), longest = batch.steps.count();
  Tensor index = torch::empty({texts, longest}, torch::kLong);
  inside = torch::zeros({texts, longest}, torch::kBool);
  for (std::int64_t i = 0; i < texts; ++i) {
    for (std::int64_t t = 0; t < longest; ++t) {
      const bool real = t < batch.lengths[static_cast<std::size_t>(i)];
      index.data_ptr<std::int64_t>()[i * longest + t] = batch.steps.row(i, real ? t : 0);
      inside.data_ptr<bool>()[i * longest + t] = real;
    }
  }
  return rows.index_select(0, index.flatten()).view({texts, longest, rows.size(1)});
}

// The state each direction ends with: the last word's forward, the first word's backward.
Tensor last_states(const ModelSpec& spec, const Tensor& rows, const Batch& batch) {
  const Tensor forward = rows.index_select(0, batch.last);
  if (!spec.bidirectional) return forward;
  const std::int64_t d = spec.reader.hidden;
  return torch::cat({forward.narrow(1, 0, d), rows.narrow(0, 0, batch.texts()).narrow(1, d, d)}, 1);
}

Tensor pool(const ModelSpec& spec, const Weights& weights, const Tensor& rows, const Batch& batch) {
  if (spec.pooling == Pooling::last) return last_states(spec, rows, batch);
  Tensor inside;
  const Tensor all = padded(rows, batch, inside);
  const Tensor outside = inside.logical_not();
  constexpr double kNever = -1e30;
  if (spec.pooling == Pooling::max)
    return std::get<0>(all.masked_fill(outside.unsqueeze(2), kNever).max(1));
  Tensor share;
  if (spec.pooling == Pooling::mean) {
    share = inside.to(torch::kFloat) / inside.sum(1, true);
  } else {
    share = torch::softmax(all.matmul(weights.at("pool.w")).masked_fill(outside, kNever), 1);
  }
  return (all * share.unsqueeze(2)).sum(1);
}

}  // namespace

NetOutput classify(const ModelSpec& spec, const Weights& weights, const Tensor& words,
                   const Batch& batch, const Dropout& dropout, const ReadMode& mode) {
  NetOutput out;
  const auto use = [&](Use kind) { return mode.noise.at(static_cast<std::uint64_t>(kind)); };
  Tensor rows = words;
  if (mode.training && dropout.words > 0)
    rows = rows * dropout_mask(batch, 1, dropout.words, use(Use::word_dropout), true, Kept::stay);
  if (mode.training && dropout.input > 0)
    rows = rows * dropout_mask(batch, rows.size(1), dropout.input, use(Use::input_dropout), true);
  for (int layer = 0; layer < spec.layers; ++layer) {
    const ReaderSpec reader = spec.reader_of(layer);
    if (layer > 0 && mode.training && dropout.input > 0)
      rows =
          rows * dropout_mask(batch, rows.size(1), dropout.input,
                              use(Use::layer_dropout).at(static_cast<std::uint64_t>(layer)), true);
    std::vector<Tensor> directions;
    for (int direction = 0; direction < spec.directions(); ++direction) {
      const bool backward = direction == 1;
      const Tensor in = backward ? rows.index_select(0, batch.reversed) : rows;
      ReadOutput read = read_rows(reader, weights, reader_prefix(layer, backward),
                                  out.readings.size(), in, batch, mode);
      directions.push_back(backward ? read.hidden.index_select(0, batch.reversed) : read.hidden);
      out.readings.push_back(std::move(read));
    }
    rows = directions.size() == 1 ? directions[0] : torch::cat(directions, 1);
  }
  Tensor pooled = pool(spec, weights, rows, batch);
  if (mode.training && dropout.output > 0)
    pooled = pooled *
             dropout_mask(batch, pooled.size(1), dropout.output, use(Use::output_dropout), false);
  out.scores = torch::addmm(weights.at("head.b"), pooled, weights.at("head.w").t());
  return out;
}

}  // namespace skim::train

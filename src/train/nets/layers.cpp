#include "train/nets/layers.h"

#include "spec/params.h"
#include "train/ops/parallel.h"

namespace skim::train {

using torch::Tensor;

Tensor dropout_mask(const NetInput& in, const Batch& batch, std::int64_t width, double rate,
                    const CounterRng& rng, bool per_row, DropoutScale scale) {
  const std::int64_t count = per_row ? batch.rows() : batch.texts();
  Tensor mask = torch::empty({count, width});
  float* values = mask.data_ptr<float>();
  const auto kept_value =
      scale == DropoutScale::inverted ? static_cast<float>(1 / (1 - rate)) : 1.0F;
  const auto drop_rate = static_cast<float>(rate);
  parallel_chunks(
      in.mode.threads, batch.texts(), 1, [&](auto, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const CounterRng text = rng.at(batch.items[static_cast<std::size_t>(i)]);
          const std::int64_t length = per_row ? batch.lengths[static_cast<std::size_t>(i)] : 1;
          for (std::int64_t t = 0; t < length; ++t) {
            float* row = values + (per_row ? batch.steps.row(i, t) : i) * width;
            // A product instead of a branch, which would be mispredicted.
            for (std::int64_t j = 0; j < width; ++j)
              row[j] = kept_value *
                       static_cast<float>(text.uniform(static_cast<std::uint64_t>(t * width + j)) >=
                                          drop_rate);
          }
        }
      });
  return mask;
}

Tensor pad_rows(const Tensor& rows, const Batch& batch, Tensor& mask) {
  const std::int64_t texts = batch.texts(), longest = batch.steps.count();
  Tensor index = torch::empty({texts, longest}, torch::kLong);
  mask = torch::zeros({texts, longest}, torch::kBool);
  for (std::int64_t i = 0; i < texts; ++i) {
    for (std::int64_t t = 0; t < longest; ++t) {
      const bool in_text = t < batch.lengths[static_cast<std::size_t>(i)];
      index.data_ptr<std::int64_t>()[i * longest + t] = batch.steps.row(i, in_text ? t : 0);
      mask.data_ptr<bool>()[i * longest + t] = in_text;
    }
  }
  return rows.index_select(0, index.flatten()).view({texts, longest, rows.size(1)});
}

Tensor last_states(const ModelSpec& spec, const Tensor& rows, const Batch& batch) {
  const Tensor forward = rows.index_select(0, batch.last_rows);
  if (!spec.bidirectional) return forward;
  const std::int64_t d = spec.reader.hidden_size;
  return torch::cat({forward.narrow(1, 0, d), rows.narrow(0, 0, batch.texts()).narrow(1, d, d)}, 1);
}

Tensor padded_positions(const Batch& batch) {
  Tensor positions = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t t = 0; t < batch.steps.count(); ++t)
    for (std::int64_t i = 0; i < batch.steps.size(t); ++i)
      positions.data_ptr<std::int64_t>()[batch.steps.row(i, t)] = i * batch.steps.count() + t;
  return positions;
}

Tensor drop_words(const NetInput& in, const Tensor& rows, RandomUse use) {
  if (!in.drops(in.dropout.words)) return rows;
  return rows *
         dropout_mask(in, in.batch, 1, in.dropout.words, in.noise(use), true, DropoutScale::none);
}

Tensor text_embeddings(const NetInput& in) {
  const Dropout& dropout = in.dropout;
  Tensor rows =
      drop_words(in, in.embeddings.narrow(0, 0, in.batch.rows()), RandomUse::word_dropout);
  if (in.drops(dropout.input))
    rows = rows * dropout_mask(in, in.batch, rows.size(1), dropout.input,
                               in.noise(RandomUse::input_dropout), true);
  return rows;
}

Tensor read_layers(const NetInput& in, Tensor rows, NetOutput& out) {
  return read_stack(in, in.spec.stacks().front(), in.batch, std::move(rows), out);
}

Tensor read_stack(const NetInput& in, const StackSpec& stack, const Batch& batch, Tensor rows,
                  NetOutput& out) {
  for (int layer = 0; layer < stack.num_layers; ++layer) {
    const ReaderSpec reader = stack.layer_reader(layer);
    if (layer > 0 && in.drops(in.dropout.input)) {
      // Layers are numbered over all stacks.
      const auto number = static_cast<std::uint64_t>(out.readings.size()) /
                          static_cast<std::uint64_t>(stack.directions());
      rows = rows * dropout_mask(in, batch, rows.size(1), in.dropout.input,
                                 in.noise(RandomUse::layer_dropout).at(number), true);
    }
    std::vector<Tensor> directions;
    for (int direction = 0; direction < stack.directions(); ++direction) {
      const bool backward = direction == 1;
      const Tensor read_from = backward ? rows.index_select(0, batch.reversed) : rows;
      ReadOutput read = read_rows({reader, in.weights, reader_prefix(stack.name, layer, backward),
                                   out.readings.size(), read_from, backward, batch},
                                  in.mode);
      directions.push_back(backward ? read.hidden.index_select(0, batch.reversed) : read.hidden);
      out.readings.push_back(std::move(read));
    }
    rows = directions.size() == 1 ? directions[0] : torch::cat(directions, 1);
  }
  return rows;
}

}  // namespace skim::train

#include "train/nets/layers.h"

#include "spec/params.h"
#include "train/ops/parts.h"

namespace skim::train {

using torch::Tensor;

Tensor dropout_mask(const NetInput& in, const Batch& batch, std::int64_t width, double rate,
                    const Noise& noise, bool of_rows, Kept kept) {
  const std::int64_t count = of_rows ? batch.rows() : batch.texts();
  Tensor mask = torch::empty({count, width});
  float* values = mask.data_ptr<float>();
  const auto keep = kept == Kept::grow ? static_cast<float>(1 / (1 - rate)) : 1.0F;
  const auto dropped = static_cast<float>(rate);
  in_parts(in.mode.threads, batch.texts(), 1, [&](auto, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const Noise text = noise.at(batch.items[static_cast<std::size_t>(i)]);
      const std::int64_t length = of_rows ? batch.lengths[static_cast<std::size_t>(i)] : 1;
      for (std::int64_t t = 0; t < length; ++t) {
        float* row = values + (of_rows ? batch.steps.row(i, t) : i) * width;
        // A product, since no processor foresees a branch on chance.
        for (std::int64_t j = 0; j < width; ++j)
          row[j] = keep * static_cast<float>(
                              text.share(static_cast<std::uint64_t>(t * width + j)) >= dropped);
      }
    }
  });
  return mask;
}

Tensor side_by_side(const Tensor& rows, const Batch& batch, Tensor& inside) {
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

Tensor last_states(const ModelSpec& spec, const Tensor& rows, const Batch& batch) {
  const Tensor forward = rows.index_select(0, batch.last);
  if (!spec.bidirectional) return forward;
  const std::int64_t d = spec.reader.hidden;
  return torch::cat({forward.narrow(1, 0, d), rows.narrow(0, 0, batch.texts()).narrow(1, d, d)}, 1);
}

Tensor places_side_by_side(const Batch& batch) {
  Tensor places = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t t = 0; t < batch.steps.count(); ++t)
    for (std::int64_t i = 0; i < batch.steps.size(t); ++i)
      places.data_ptr<std::int64_t>()[batch.steps.row(i, t)] = i * batch.steps.count() + t;
  return places;
}

Tensor text_rows(const NetInput& in) {
  Tensor rows = in.words.narrow(0, 0, in.batch.rows());
  const Dropout& dropout = in.dropout;
  if (in.drops(dropout.words))
    rows = rows * dropout_mask(in, in.batch, 1, dropout.words, in.noise(Use::word_dropout), true,
                               Kept::stay);
  if (in.drops(dropout.input))
    rows = rows * dropout_mask(in, in.batch, rows.size(1), dropout.input,
                               in.noise(Use::input_dropout), true);
  return rows;
}

Tensor read_layers(const NetInput& in, Tensor rows, NetOutput& out) {
  return read_stack(in, in.spec.stacks().front(), in.batch, std::move(rows), out);
}

Tensor read_stack(const NetInput& in, const StackSpec& stack, const Batch& batch, Tensor rows,
                  NetOutput& out) {
  for (int layer = 0; layer < stack.layers; ++layer) {
    const ReaderSpec reader = stack.reader_of(layer);
    if (layer > 0 && in.drops(in.dropout.input)) {
      // Layers of all stacks have numbers of their own.
      const auto number = static_cast<std::uint64_t>(out.readings.size()) /
                          static_cast<std::uint64_t>(stack.directions());
      rows = rows * dropout_mask(in, batch, rows.size(1), in.dropout.input,
                                 in.noise(Use::layer_dropout).at(number), true);
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

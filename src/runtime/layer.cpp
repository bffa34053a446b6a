#include "skim/layer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "readers/reader.h"
#include "runtime/checks.h"
#include "spec/params.h"

namespace skim {
namespace {

// "[400, 200]"
std::string format_shape(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

const NamedTensor* find(std::span<const NamedTensor> tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Result<void> check(const NamedTensor& tensor, const TensorSpec& expected) {
  if (tensor.shape != expected.shape) {
    return fail(Fault::mismatch, "tensor '" + tensor.name + "' has shape " +
                                     format_shape(tensor.shape) + ", expected " +
                                     format_shape(expected.shape));
  }
  std::size_t count = 1;
  for (const std::size_t size : expected.shape) count *= size;
  if (tensor.values.size() != count) {
    return fail(Fault::mismatch, "tensor '" + tensor.name + "' has " +
                                     std::to_string(tensor.values.size()) + " values, expected " +
                                     std::to_string(count));
  }
  const auto bad = std::find_if(tensor.values.begin(), tensor.values.end(),
                                [](float value) { return !std::isfinite(value); });
  if (bad != tensor.values.end()) {
    return fail(Fault::argument, "tensor '" + tensor.name +
                                     "' has a value that is not finite, at index " +
                                     std::to_string(bad - tensor.values.begin()));
  }
  return {};
}

// Returns the tensors in the order of `expected`; fails unless each is given exactly once and no
// other is given.
Result<Tensors> match_tensors(std::span<const TensorSpec> expected,
                              std::span<const NamedTensor> given) {
  for (const NamedTensor& tensor : given) {
    const auto known = std::find_if(expected.begin(), expected.end(), [&](const TensorSpec& each) {
      return each.name == tensor.name;
    });
    if (known == expected.end()) {
      return fail(Fault::argument,
                  "tensor '" + tensor.name + "' is not part of the spec; remove it");
    }
    if (find(given, tensor.name) != &tensor) {
      return fail(Fault::argument, "tensor '" + tensor.name + "' is given twice");
    }
  }
  Tensors tensors;
  for (const TensorSpec& each : expected) {
    const NamedTensor* tensor = find(given, each.name);
    if (tensor == nullptr) {
      return fail(Fault::argument, "tensor '" + each.name + "' of shape " +
                                       format_shape(each.shape) + " is missing");
    }
    if (Result<void> fine = check(*tensor, each); !fine) {
      return tl::make_unexpected(fine.error());
    }
    tensors.push_back({each.name, tensor->values});
  }
  return tensors;
}

Result<void> check_size(const char* what, std::size_t size, std::size_t expected) {
  if (size == expected) return {};
  return fail(Fault::argument, std::string(what) + " has " + std::to_string(size) +
                                   " entries, expected " + std::to_string(expected));
}

Result<void> check_row_sizes(const ReaderSpec& spec, std::size_t in, std::size_t out,
                             std::size_t steps) {
  const auto width = static_cast<std::size_t>(spec.input_size);
  if (in % width != 0) {
    return fail(Fault::argument, "in has " + std::to_string(in) +
                                     " entries, expected a multiple of the input size " +
                                     std::to_string(width));
  }
  const std::size_t count = in / width;
  Result<void> fine = check_size("out", out, count * static_cast<std::size_t>(spec.hidden_size));
  if (fine && steps != 0) fine = check_size("steps", steps, count);
  return fine;
}

}  // namespace

struct Layer::Parts {
  std::unique_ptr<const Reader> reader;
};

Result<Layer> Layer::create(const ReaderSpec& spec, std::span<const NamedTensor> tensors,
                            WeightType weights) {
  if (Result<void> fine = skim::check(spec); !fine) return tl::make_unexpected(fine.error());
  if (spec.kind == ReaderKind::lstm_jump && !spec.jump.sentence_end_ids.empty()) {
    return fail(
        Fault::argument,
        "reader.jump.sentence_end_ids are token ids, but a layer reads rows; leave it empty");
  }
  const std::vector<TensorSpec> expected = reader_tensors(spec);
  Result<Tensors> found = match_tensors(expected, tensors);
  if (!found) return tl::make_unexpected(found.error());
  return Layer(std::make_shared<const Parts>(Parts{make_reader(spec, *found, weights)}));
}

const ReaderSpec& Layer::spec() const { return parts_->reader->spec(); }

LayerState Layer::start() const {
  const auto width = static_cast<std::size_t>(spec().hidden_size);
  LayerState state;
  state.hidden.assign(width, 0.0F);
  if (spec().cell == Cell::lstm) state.cell.assign(width, 0.0F);
  State reader_state;
  parts_->reader->start(reader_state);
  state.skip_state = reader_state.skip_state;
  return state;
}

Result<void> Layer::read(std::span<const float> in, Policy policy, LayerState& state,
                         std::span<float> out, std::span<Step> steps) const {
  const auto input = static_cast<std::size_t>(spec().input_size);
  const auto hidden = static_cast<std::size_t>(spec().hidden_size);
  Result<void> fine = skim::check(policy);
  if (fine) fine = check_row_sizes(spec(), in.size(), out.size(), steps.size());
  if (fine) fine = check_size("state.hidden", state.hidden.size(), hidden);
  if (fine) fine = check_size("state.cell", state.cell.size(), start().cell.size());
  if (!fine || in.empty()) return fine;

  const std::size_t count = in.size() / input;
  State reader_state;
  parts_->reader->start(reader_state);
  std::copy(state.hidden.begin(), state.hidden.end(), reader_state.hidden.data());
  std::copy(state.cell.begin(), state.cell.end(), reader_state.cell.data());
  reader_state.position = state.position;
  reader_state.weight_scan_direction = state.weight_scan_direction;
  const std::uint64_t tokens_per_jump = reader_state.skip_state.tokens_to_read;
  reader_state.skip_state = state.skip_state;
  // A state that Layer::start did not make: reading 0 tokens before a jump would never end.
  if (reader_state.skip_state.tokens_to_read == 0)
    reader_state.skip_state.tokens_to_read = tokens_per_jump;

  Input rows;
  rows.rows = {in.data(), count, input, input};
  Output output;
  output.rows = {out.data(), count, hidden, hidden};
  std::vector<Step> unused_steps(steps.empty() ? count : 0);
  Scratch scratch;
  parts_->reader->read(rows, policy, reader_state, output, steps.empty() ? unused_steps : steps,
                       scratch);

  std::copy_n(reader_state.hidden.data(), hidden, state.hidden.begin());
  std::copy_n(reader_state.cell.data(), state.cell.size(), state.cell.begin());
  state.position = reader_state.position;
  state.weight_scan_direction = reader_state.weight_scan_direction;
  state.skip_state = reader_state.skip_state;
  return {};
}

}  // namespace skim

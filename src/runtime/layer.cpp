#include "skim/layer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/result_macros.h"
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
    SKIM_RETURN_IF_ERROR(check(*tensor, each));
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
  SKIM_RETURN_IF_ERROR(check_size("out", out, count * static_cast<std::size_t>(spec.hidden_size)));
  if (steps != 0) SKIM_RETURN_IF_ERROR(check_size("steps", steps, count));
  return {};
}

Buffer<float> copy_buffer(const Buffer<float>& from) {
  Buffer<float> copy(from.size());
  if (from.size() > 0) std::copy_n(from.data(), from.size(), copy.data());
  return copy;
}

// Moves the values of a state that another reader of the same size made into buffers of `reader`,
// whose padding may differ.
void adopt_state(const Reader& reader, std::size_t hidden_size, State& state) {
  State adopted;
  reader.start(adopted);
  std::copy_n(state.hidden.data(), hidden_size, adopted.hidden.data());
  if (adopted.cell.size() > 0) std::copy_n(state.cell.data(), hidden_size, adopted.cell.data());
  adopted.position = state.position;
  adopted.weight_scan_direction = state.weight_scan_direction;
  state = std::move(adopted);
}

State copy_state(const State& from) {
  State copy;
  copy.hidden = copy_buffer(from.hidden);
  copy.cell = copy_buffer(from.cell);
  copy.position = from.position;
  copy.weight_scan_direction = from.weight_scan_direction;
  copy.skip_state = from.skip_state;
  copy.stream = from.stream;
  return copy;
}

}  // namespace

struct LayerState::Impl {
  State state;
  // The layer whose buffer sizes `state` has. Not its address: another layer may get that later.
  std::weak_ptr<const void> layer;
  std::size_t hidden_size = 0, cell_size = 0;
  // Working memory of Layer::read; copies of a state have their own.
  Scratch scratch;
  std::vector<Step> steps;
};

LayerState::LayerState(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LayerState::LayerState(const LayerState& other) : impl_(std::make_unique<Impl>()) {
  impl_->state = copy_state(other.impl_->state);
  impl_->layer = other.impl_->layer;
  impl_->hidden_size = other.impl_->hidden_size;
  impl_->cell_size = other.impl_->cell_size;
}
LayerState::LayerState(LayerState&&) noexcept = default;
LayerState& LayerState::operator=(const LayerState& other) { return *this = LayerState(other); }
LayerState& LayerState::operator=(LayerState&&) noexcept = default;
LayerState::~LayerState() = default;

std::span<const float> LayerState::hidden() const {
  return {impl_->state.hidden.data(), impl_->hidden_size};
}
std::span<const float> LayerState::cell() const {
  return {impl_->state.cell.data(), impl_->cell_size};
}
std::uint64_t LayerState::position() const { return impl_->state.position; }

Result<void> LayerState::set_hidden(std::span<const float> values) {
  SKIM_RETURN_IF_ERROR(check_size("hidden", values.size(), impl_->hidden_size));
  std::copy(values.begin(), values.end(), impl_->state.hidden.data());
  return {};
}
Result<void> LayerState::set_cell(std::span<const float> values) {
  SKIM_RETURN_IF_ERROR(check_size("cell", values.size(), impl_->cell_size));
  std::copy(values.begin(), values.end(), impl_->state.cell.data());
  return {};
}

struct Layer::Parts {
  std::unique_ptr<const Reader> reader;
};

Result<Layer> Layer::create(const ReaderSpec& spec, std::span<const NamedTensor> tensors,
                            WeightType weights) {
  SKIM_RETURN_IF_ERROR(skim::check(spec));
  if (spec.kind == ReaderKind::lstm_jump && !spec.jump.sentence_end_ids.empty()) {
    return fail(
        Fault::argument,
        "reader.jump.sentence_end_ids are token ids, but a layer reads rows; leave it empty");
  }
  const std::vector<TensorSpec> expected = reader_tensors(spec);
  SKIM_ASSIGN_OR_RETURN(const Tensors found, match_tensors(expected, tensors));
  return Layer(std::make_shared<const Parts>(Parts{make_reader(spec, found, weights)}));
}

const ReaderSpec& Layer::spec() const { return parts_->reader->spec(); }

LayerState Layer::start() const {
  auto impl = std::make_unique<LayerState::Impl>();
  parts_->reader->start(impl->state);
  impl->layer = parts_;
  impl->hidden_size = static_cast<std::size_t>(spec().hidden_size);
  impl->cell_size = spec().cell == Cell::lstm ? impl->hidden_size : 0;
  return LayerState(std::move(impl));
}

Result<void> Layer::read(std::span<const float> in, Policy policy, LayerState& state,
                         std::span<float> out, std::span<Step> steps) const {
  const auto input = static_cast<std::size_t>(spec().input_size);
  const auto hidden = static_cast<std::size_t>(spec().hidden_size);
  LayerState::Impl& impl = *state.impl_;
  SKIM_RETURN_IF_ERROR(skim::check(policy));
  SKIM_RETURN_IF_ERROR(check_row_sizes(spec(), in.size(), out.size(), steps.size()));
  SKIM_RETURN_IF_ERROR(check_size("state.hidden", impl.hidden_size, hidden));
  const std::size_t cell = spec().cell == Cell::lstm ? hidden : 0;
  SKIM_RETURN_IF_ERROR(check_size("state.cell", impl.cell_size, cell));
  if (in.empty()) return {};

  const bool of_this_layer = !impl.layer.owner_before(parts_) && !parts_.owner_before(impl.layer);
  if (!of_this_layer) {
    adopt_state(*parts_->reader, impl.hidden_size, impl.state);
    impl.layer = parts_;
  }
  const std::size_t count = in.size() / input;
  Input rows;
  rows.rows = {in.data(), count, input, input};
  Output output;
  output.rows = {out.data(), count, hidden, hidden};
  if (steps.empty()) {
    impl.steps.resize(count);
    steps = impl.steps;
  }
  parts_->reader->read(rows, policy, impl.state, output, steps, impl.scratch);
  return {};
}

}  // namespace skim

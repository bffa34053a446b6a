#include "skim/layer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "readers/reader.h"
#include "runtime/checks.h"
#include "spec/params.h"

namespace skim {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "a single number" : text;
}

const NamedTensor* find(std::span<const NamedTensor> tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Result<void> check(const NamedTensor& tensor, const TensorSpec& wanted) {
  if (tensor.shape != wanted.shape) {
    return fail(Fault::mismatch, "tensor '" + tensor.name + "' is " + shape_text(tensor.shape) +
                                     ", the spec asks for " + shape_text(wanted.shape));
  }
  std::size_t count = 1;
  for (const std::size_t size : wanted.shape) count *= size;
  if (tensor.values.size() != count) {
    return fail(Fault::mismatch, "tensor '" + tensor.name + "' has " +
                                     std::to_string(tensor.values.size()) +
                                     " values, its shape asks for " + std::to_string(count));
  }
  const auto bad = std::find_if(tensor.values.begin(), tensor.values.end(),
                                [](float value) { return !std::isfinite(value); });
  if (bad != tensor.values.end()) {
    return fail(Fault::argument, "tensor '" + tensor.name +
                                     "' holds a value that is not a finite " + "number, at index " +
                                     std::to_string(bad - tensor.values.begin()));
  }
  return {};
}

// Every tensor of the spec once, and no other.
Result<Tensors> checked(std::span<const TensorSpec> wanted, std::span<const NamedTensor> given) {
  for (const NamedTensor& tensor : given) {
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const TensorSpec& each) {
      return each.name == tensor.name;
    });
    if (known == wanted.end()) {
      return fail(Fault::argument, "tensor '" + tensor.name + "' is none that the spec asks for");
    }
    if (find(given, tensor.name) != &tensor) {
      return fail(Fault::argument, "tensor '" + tensor.name + "' is given twice");
    }
  }
  Tensors tensors;
  for (const TensorSpec& each : wanted) {
    const NamedTensor* tensor = find(given, each.name);
    if (tensor == nullptr) {
      return fail(Fault::argument,
                  "tensor '" + each.name + "' (" + shape_text(each.shape) + ") is missing");
    }
    if (Result<void> fine = check(*tensor, each); !fine) {
      return tl::make_unexpected(fine.error());
    }
    tensors.push_back({each.name, tensor->values});
  }
  return tensors;
}

Result<void> check_size(const char* what, std::size_t size, std::size_t wanted) {
  if (size == wanted) return {};
  return fail(Fault::argument, std::string(what) + " has " + std::to_string(size) +
                                   " entries, it needs " + std::to_string(wanted));
}

Result<void> check_row_sizes(const ReaderSpec& spec, std::size_t in, std::size_t out,
                             std::size_t steps) {
  const auto width = static_cast<std::size_t>(spec.input);
  if (in % width != 0) {
    return fail(Fault::argument, "in has " + std::to_string(in) +
                                     " entries, which are no whole rows of " +
                                     std::to_string(width));
  }
  const std::size_t count = in / width;
  Result<void> fine = check_size("out", out, count * static_cast<std::size_t>(spec.hidden));
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
  if (spec.kind == ReaderKind::jump && !spec.jump.ends.empty()) {
    return fail(Fault::argument,
                "reader.jump.ends names words, and a layer reads rows: leave it empty");
  }
  const std::vector<TensorSpec> wanted = reader_tensors(spec);
  Result<Tensors> found = checked(wanted, tensors);
  if (!found) return tl::make_unexpected(found.error());
  return Layer(std::make_shared<const Parts>(Parts{make_reader(spec, *found, weights)}));
}

const ReaderSpec& Layer::spec() const { return parts_->reader->spec(); }

LayerState Layer::start() const {
  const auto width = static_cast<std::size_t>(spec().hidden);
  LayerState state;
  state.hidden.assign(width, 0.0F);
  if (spec().cell == Cell::lstm) state.cell.assign(width, 0.0F);
  State inner;
  parts_->reader->start(inner);
  state.pace = inner.pace;
  return state;
}

Result<void> Layer::read(std::span<const float> in, Policy policy, LayerState& state,
                         std::span<float> out, std::span<Step> steps) const {
  const auto input = static_cast<std::size_t>(spec().input);
  const auto hidden = static_cast<std::size_t>(spec().hidden);
  Result<void> fine = skim::check(policy);
  if (fine) fine = check_row_sizes(spec(), in.size(), out.size(), steps.size());
  if (fine) fine = check_size("state.hidden", state.hidden.size(), hidden);
  if (fine) fine = check_size("state.cell", state.cell.size(), start().cell.size());
  if (!fine || in.empty()) return fine;

  const std::size_t count = in.size() / input;
  State inner;
  parts_->reader->start(inner);
  std::copy(state.hidden.begin(), state.hidden.end(), inner.hidden.data());
  std::copy(state.cell.begin(), state.cell.end(), inner.cell.data());
  inner.position = state.position;
  inner.sweep = state.sweep;
  const std::uint64_t run = inner.pace.reading;
  inner.pace = state.pace;
  // A state that was filled in by hand; a run of no words would never end.
  if (inner.pace.reading == 0) inner.pace.reading = run;

  Input rows;
  rows.rows = {in.data(), count, input, input};
  Output output;
  output.rows = {out.data(), count, hidden, hidden};
  std::vector<Step> unwanted(steps.empty() ? count : 0);
  Scratch scratch;
  parts_->reader->read(rows, policy, inner, output, steps.empty() ? unwanted : steps, scratch);

  std::copy_n(inner.hidden.data(), hidden, state.hidden.begin());
  std::copy_n(inner.cell.data(), state.cell.size(), state.cell.begin());
  state.position = inner.position;
  state.sweep = inner.sweep;
  state.pace = inner.pace;
  return {};
}

}  // namespace skim

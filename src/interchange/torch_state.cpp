#include "interchange/torch_state.h"

#include <algorithm>
#include <array>
#include <set>

#include "file/values.h"
#include "spec/params.h"

namespace skim {
namespace {

constexpr std::string_view kFirstLayer = "weight_ih_l0";
constexpr int kMostLayers = 16;

std::string extents_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t extent : shape)
    text.append(text.empty() ? "" : "x").append(std::to_string(extent));
  return text.empty() ? "a single number" : text;
}

std::string with_dot(const std::string& prefix) {
  return prefix.empty() || prefix.ends_with('.') ? prefix : prefix + ".";
}

class StateFinder {
 public:
  StateFinder(const Container& container, const TorchNames& names, const TorchSizes& sizes,
              const std::string& file)
      : tensors_(container.tensors), names_(names), sizes_(sizes), file_(file) {}

  Result<TorchState> find() {
    return find_prefix()
        .and_then([&] { return find_kind(); })
        .and_then([&] { return find_readers(); })
        .and_then([&] { return find_embedding(); })
        .and_then([&] { return find_head(); })
        .and_then([&] { return check_values(); })
        .map([&] { return state_; });
  }

 private:
  using Shape = std::vector<std::size_t>;

  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Fault::argument, file_ + ": " + what);
  }

  const TensorView* at(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
  }

  // The tensor of this name and shape, from now on taken. Null where there is none.
  Result<const TensorView*> take(const std::string& name, const Shape& shape) {
    const TensorView* tensor = at(name);
    if (tensor == nullptr) return tensor;
    if (tensor->shape != shape) {
      return wrong("tensor '" + name + "' is " + extents_text(tensor->shape) + ", it should be " +
                   extents_text(shape));
    }
    taken_.insert(name);
    return tensor;
  }

  Result<const TensorView*> need(const std::string& name, const Shape& shape) {
    auto tensor = take(name, shape);
    if (tensor && *tensor == nullptr) return wrong("tensor '" + name + "' is missing");
    return tensor;
  }

  Result<void> find_prefix() {
    if (!names_.rnn.empty()) {
      prefix_ = with_dot(names_.rnn);
      if (at(prefix_ + std::string(kFirstLayer)) != nullptr) return {};
      return wrong("tensor '" + prefix_ + std::string(kFirstLayer) +
                   "' is missing; what do the names of the recurrent weights begin with? Say it "
                   "with --rnn-prefix");
    }
    std::vector<std::string> found;
    for (const auto& [name, unused_tensor] : tensors_) {
      if (name == kFirstLayer || name.ends_with("." + std::string(kFirstLayer)))
        found.push_back(name.substr(0, name.size() - kFirstLayer.size()));
    }
    if (found.empty())
      return wrong("no tensor is called weight_ih_l0, as those of nn.LSTM, nn.GRU and nn.RNN are");
    if (found.size() > 1) {
      return wrong("it has several recurrent networks ('" + found[0] + "', '" + found[1] +
                   "'); choose one with --rnn-prefix");
    }
    prefix_ = found[0];
    return {};
  }

  // Cell, width, layers and directions follow from names and shapes.
  Result<void> find_kind() {
    const std::string name = prefix_ + "weight_hh_l0";
    const TensorView* state = at(name);
    if (state == nullptr) return wrong("tensor '" + name + "' is missing");
    const Shape& shape = state->shape;
    if (at(prefix_ + "weight_hr_l0") != nullptr)
      return wrong("an LSTM with projections (proj_size) has no counterpart in skim");
    const std::size_t gate_count =
        shape.size() == 2 && shape[1] > 0 && shape[0] % shape[1] == 0 ? shape[0] / shape[1] : 0;
    const auto cell = std::ranges::find(kCells, gate_count, [](Cell each) { return gates(each); });
    if (cell == kCells.end()) {
      return wrong("tensor '" + name + "' is " + extents_text(shape) +
                   "; an LSTM has 4 times as many rows as columns, a GRU 3 times, an RNN as many");
    }
    state_.cell = *cell;
    state_.hidden = shape[1];
    state_.bidirectional = at(prefix_ + std::string(kFirstLayer) + "_reverse") != nullptr;
    while (at(prefix_ + "weight_ih_l" + std::to_string(state_.layers)) != nullptr &&
           state_.layers <= kMostLayers)
      ++state_.layers;
    return {};
  }

  std::size_t row_width() const { return state_.hidden * (state_.bidirectional ? 2 : 1); }

  Result<void> find_readers() {
    const TensorView* first = at(prefix_ + std::string(kFirstLayer));
    if (first->shape.size() != 2)
      return wrong("tensor '" + first->name + "' is " + extents_text(first->shape) +
                   ", it should be a matrix");
    input_ = first->shape[1];
    for (int layer = 0; layer < state_.layers; ++layer) {
      for (const char* direction : {"", "_reverse"}) {
        if (*direction != '\0' && !state_.bidirectional) continue;
        const std::size_t input = layer == 0 ? input_ : row_width();
        auto found = find_reader("_l" + std::to_string(layer) + direction, input);
        if (!found) return found;
      }
    }
    return {};
  }

  Result<void> find_reader(const std::string& suffix, std::size_t input) {
    const std::size_t rows = gates(state_.cell) * state_.hidden;
    TorchLayer layer;
    const auto keep = [](const TensorView*& into) {
      return [&into](const TensorView* tensor) { into = tensor; };
    };
    auto done = need(prefix_ + "weight_ih" + suffix, {rows, input})
                    .map(keep(layer.input))
                    .and_then([&] {
                      return need(prefix_ + "weight_hh" + suffix, {rows, state_.hidden});
                    })
                    .map(keep(layer.state))
                    .and_then([&] { return take(prefix_ + "bias_ih" + suffix, {rows}); })
                    .map(keep(layer.input_bias))
                    .and_then([&] { return take(prefix_ + "bias_hh" + suffix, {rows}); })
                    .map(keep(layer.state_bias));
    if (!done) return done;
    if ((layer.input_bias == nullptr) != (layer.state_bias == nullptr))
      return wrong("of the tensors '" + prefix_ + "bias_ih" + suffix + "' and '" + prefix_ +
                   "bias_hh" + suffix + "' one is missing");
    state_.readers.push_back(layer);
    return {};
  }

  // The name of a matrix: as said (whole, or without ".weight"), or the only one of these shapes.
  Result<std::string> matrix_named(const std::string& said, const std::vector<Shape>& shapes,
                                   const std::string& what, const std::string& option) const {
    if (!said.empty()) {
      for (const std::string& name : {with_dot(said) + "weight", said}) {
        if (at(name) != nullptr) return name;
      }
      return wrong("there is no tensor '" + said + "' or '" + with_dot(said) + "weight' (" +
                   option + ")");
    }
    std::vector<std::string> found;
    for (const auto& [name, tensor] : tensors_) {
      const bool fits = std::ranges::find(shapes, tensor.shape) != shapes.end();
      if (fits && !taken_.contains(name)) found.push_back(name);
    }
    if (found.size() == 1) return found[0];
    if (found.size() > 1) {
      return wrong("'" + found[0] + "' and '" + found[1] + "' could both be the " + what +
                   "; choose one with " + option);
    }
    return wrong("no tensor is " + extents_text(shapes[0]) + ", as the " + what +
                 " should be; is " + option + " needed, or are there other words or labels?");
  }

  Result<void> find_embedding() {
    const Shape shape = {sizes_.words, input_};
    return matrix_named(names_.embedding, {shape}, "embedding (a row a word)", "--embedding")
        .and_then([&](const std::string& name) { return need(name, shape); })
        .map([&](const TensorView* tensor) { state_.embedding = tensor; });
  }

  Result<void> find_head() {
    std::vector<Shape> shapes = {{sizes_.labels, row_width()}};
    // One number for two labels: the second's logit, the first's being 0.
    if (sizes_.labels == 2) shapes.push_back({1, row_width()});
    const auto name = matrix_named(names_.head, shapes, "head (a row a label)", "--head");
    if (!name) return tl::make_unexpected(name.error());
    const bool single = at(*name)->shape == shapes.back();
    const auto head = need(*name, single ? shapes.back() : shapes.front());
    if (!head) return tl::make_unexpected(head.error());
    state_.head = *head;
    if (!name->ends_with("weight")) return {};
    const std::string bias = name->substr(0, name->size() - 6) + "bias";
    return take(bias, {state_.head->shape[0]}).map([&](const TensorView* tensor) {
      state_.head_bias = tensor;
    });
  }

  Result<void> check_values() const {
    for (const auto& [name, tensor] : tensors_) {
      if (!taken_.contains(name)) {
        return wrong("tensor '" + name +
                     "' has no place in a plain classifier (embedding, recurrent layers, head); "
                     "what it adds cannot be imported");
      }
      if (tensor.type != DataType::f32 && tensor.type != DataType::f16 &&
          tensor.type != DataType::bf16) {
        return wrong("tensor '" + name + "' has the type " + std::string(name_of(tensor.type)) +
                     "; weights may be F32, F16 or BF16");
      }
      if (const auto place = first_unsound(tensor.type, tensor.bytes)) {
        return wrong("tensor '" + name + "' holds NaN or infinity at index " +
                     std::to_string(*place));
      }
    }
    return {};
  }

  static constexpr std::array kCells = {Cell::lstm, Cell::gru, Cell::rnn};

  const std::map<std::string, TensorView, std::less<>>& tensors_;
  const TorchNames& names_;
  TorchSizes sizes_;
  const std::string& file_;
  std::string prefix_;
  std::size_t input_ = 0;
  std::set<std::string> taken_;
  TorchState state_;
};

}  // namespace

Result<TorchState> find_torch_state(const Container& container, const TorchNames& names,
                                    const TorchSizes& sizes, const std::string& file) {
  return StateFinder(container, names, sizes, file).find();
}

}  // namespace skim

#include "interchange/torch_state.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/result_macros.h"
#include "file/values.h"
#include "spec/params.h"

namespace skim {
namespace {

constexpr std::string_view kFirstLayer = "weight_ih_l0";
constexpr int kMaxLayers = 16;

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t extent : shape)
    text.append(text.empty() ? "" : ", ").append(std::to_string(extent));
  return "[" + text + "]";
}

std::string append_dot(const std::string& prefix) {
  return prefix.empty() || prefix.ends_with('.') ? prefix : prefix + ".";
}

class StateFinder {
 public:
  StateFinder(const Container& container, const TorchNames& names, const TorchSizes& sizes,
              const std::string& file)
      : tensors_(container.tensors), names_(names), sizes_(sizes), file_(file) {}

  Result<TorchState> find() {
    SKIM_RETURN_IF_ERROR(find_prefix());
    SKIM_RETURN_IF_ERROR(find_architecture());
    SKIM_RETURN_IF_ERROR(find_readers());
    SKIM_RETURN_IF_ERROR(find_embedding());
    SKIM_RETURN_IF_ERROR(find_head());
    SKIM_RETURN_IF_ERROR(check_values());
    return state_;
  }

 private:
  using Shape = std::vector<std::size_t>;

  tl::unexpected<Error> error(const std::string& what) const {
    return fail(Fault::argument, file_ + ": " + what);
  }

  const TensorView* at(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
  }

  // Returns the tensor of this name and marks it as used; null when absent. Checks the shape.
  Result<const TensorView*> optional_tensor(const std::string& name, const Shape& shape) {
    const TensorView* tensor = at(name);
    if (tensor == nullptr) return tensor;
    if (tensor->shape != shape) {
      return error("tensor '" + name + "' has shape " + shape_text(tensor->shape) + ", expected " +
                   shape_text(shape));
    }
    used_.insert(name);
    return tensor;
  }

  Result<const TensorView*> required_tensor(const std::string& name, const Shape& shape) {
    auto tensor = optional_tensor(name, shape);
    if (tensor && *tensor == nullptr) return error("tensor '" + name + "' is missing");
    return tensor;
  }

  Result<void> find_prefix() {
    if (!names_.rnn.empty()) {
      prefix_ = append_dot(names_.rnn);
      if (at(prefix_ + std::string(kFirstLayer)) != nullptr) return {};
      return error("tensor '" + prefix_ + std::string(kFirstLayer) +
                   "' is missing; give the prefix of the recurrent weights with "
                   "--rnn-prefix");
    }
    std::vector<std::string> found;
    for (const auto& [name, unused_tensor] : tensors_) {
      if (name == kFirstLayer || name.ends_with("." + std::string(kFirstLayer)))
        found.push_back(name.substr(0, name.size() - kFirstLayer.size()));
    }
    if (found.empty())
      return error("no tensor is named weight_ih_l0, as in nn.LSTM, nn.GRU and nn.RNN");
    if (found.size() > 1) {
      return error("several recurrent networks ('" + found[0] + "', '" + found[1] +
                   "'); choose one with --rnn-prefix");
    }
    prefix_ = found[0];
    return {};
  }

  // Infers cell, hidden size, layers and directions from names and shapes.
  Result<void> find_architecture() {
    const std::string name = prefix_ + "weight_hh_l0";
    const TensorView* state = at(name);
    if (state == nullptr) return error("tensor '" + name + "' is missing");
    const Shape& shape = state->shape;
    if (at(prefix_ + "weight_hr_l0") != nullptr)
      return error("an LSTM with projections (proj_size) is not supported");
    const std::size_t gate_count =
        shape.size() == 2 && shape[1] > 0 && shape[0] % shape[1] == 0 ? shape[0] / shape[1] : 0;
    const auto cell = std::ranges::find(kCells, gate_count, [](Cell each) { return gates(each); });
    if (cell == kCells.end()) {
      return error("tensor '" + name + "' has shape " + shape_text(shape) +
                   "; an LSTM has 4 times as many rows as columns, a GRU 3 times, an RNN as many");
    }
    state_.cell = *cell;
    state_.hidden_size = shape[1];
    state_.bidirectional = at(prefix_ + std::string(kFirstLayer) + "_reverse") != nullptr;
    while (at(prefix_ + "weight_ih_l" + std::to_string(state_.num_layers)) != nullptr &&
           state_.num_layers <= kMaxLayers)
      ++state_.num_layers;
    return {};
  }

  std::size_t output_size() const { return state_.hidden_size * (state_.bidirectional ? 2 : 1); }

  Result<void> find_readers() {
    const TensorView* first = at(prefix_ + std::string(kFirstLayer));
    if (first->shape.size() != 2)
      return error("tensor '" + first->name + "' has shape " + shape_text(first->shape) +
                   ", expected a matrix");
    input_ = first->shape[1];
    for (int layer = 0; layer < state_.num_layers; ++layer) {
      for (const char* direction : {"", "_reverse"}) {
        if (*direction != '\0' && !state_.bidirectional) continue;
        const std::size_t input = layer == 0 ? input_ : output_size();
        SKIM_RETURN_IF_ERROR(find_reader("_l" + std::to_string(layer) + direction, input));
      }
    }
    return {};
  }

  Result<void> find_reader(const std::string& suffix, std::size_t input) {
    const std::size_t rows = gates(state_.cell) * state_.hidden_size;
    TorchLayer layer;
    SKIM_ASSIGN_OR_RETURN(layer.weight_ih,
                          required_tensor(prefix_ + "weight_ih" + suffix, {rows, input}));
    SKIM_ASSIGN_OR_RETURN(layer.weight_hh, required_tensor(prefix_ + "weight_hh" + suffix,
                                                           {rows, state_.hidden_size}));
    SKIM_ASSIGN_OR_RETURN(layer.bias_ih, optional_tensor(prefix_ + "bias_ih" + suffix, {rows}));
    SKIM_ASSIGN_OR_RETURN(layer.bias_hh, optional_tensor(prefix_ + "bias_hh" + suffix, {rows}));
    if ((layer.bias_ih == nullptr) != (layer.bias_hh == nullptr))
      return error("one of the tensors '" + prefix_ + "bias_ih" + suffix + "' and '" + prefix_ +
                   "bias_hh" + suffix + "' is missing");
    state_.readers.push_back(layer);
    return {};
  }

  // Returns the name of a matrix: as given (with or without ".weight"), or the only one of these
  // shapes.
  Result<std::string> find_matrix(const std::string& given, const std::vector<Shape>& shapes,
                                  const std::string& what, const std::string& option) const {
    if (!given.empty()) {
      for (const std::string& name : {append_dot(given) + "weight", given}) {
        if (at(name) != nullptr) return name;
      }
      return error("there is no tensor '" + given + "' or '" + append_dot(given) + "weight' (" +
                   option + ")");
    }
    std::vector<std::string> found;
    for (const auto& [name, tensor] : tensors_) {
      const bool fits = std::ranges::find(shapes, tensor.shape) != shapes.end();
      if (fits && !used_.contains(name)) found.push_back(name);
    }
    if (found.size() == 1) return found[0];
    if (found.size() > 1) {
      return error("'" + found[0] + "' and '" + found[1] + "' could both be the " + what +
                   "; choose one with " + option);
    }
    return error("no tensor has shape " + shape_text(shapes[0]) + ", expected for the " + what +
                 "; check --words and --labels, or name the tensor with " + option);
  }

  Result<void> find_embedding() {
    const Shape shape = {sizes_.words, input_};
    SKIM_ASSIGN_OR_RETURN(
        const std::string name,
        find_matrix(names_.embedding, {shape}, "embedding (one row per word)", "--embedding"));
    SKIM_ASSIGN_OR_RETURN(state_.embedding, required_tensor(name, shape));
    return {};
  }

  Result<void> find_head() {
    std::vector<Shape> shapes = {{sizes_.labels, output_size()}};
    // A single row for two labels: the logit of the second, that of the first being 0.
    if (sizes_.labels == 2) shapes.push_back({1, output_size()});
    SKIM_ASSIGN_OR_RETURN(const auto name,
                          find_matrix(names_.head, shapes, "head (one row per label)", "--head"));
    const bool single = at(name)->shape == shapes.back();
    SKIM_ASSIGN_OR_RETURN(state_.head,
                          required_tensor(name, single ? shapes.back() : shapes.front()));
    if (!name.ends_with("weight")) return {};
    const std::string bias = name.substr(0, name.size() - 6) + "bias";
    SKIM_ASSIGN_OR_RETURN(state_.head_bias, optional_tensor(bias, {state_.head->shape[0]}));
    return {};
  }

  Result<void> check_values() const {
    for (const auto& [name, tensor] : tensors_) {
      if (!used_.contains(name)) {
        return error("tensor '" + name +
                     "' is not part of a dense classifier (embedding, recurrent layers, head) "
                     "and cannot be imported");
      }
      if (tensor.type != DataType::f32 && tensor.type != DataType::f16 &&
          tensor.type != DataType::bf16) {
        return error("tensor '" + name + "' has type " + std::string(to_string(tensor.type)) +
                     "; expected F32, F16 or BF16");
      }
      if (const auto place = find_invalid(tensor.type, tensor.bytes)) {
        return error("tensor '" + name + "' holds NaN or infinity at index " +
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
  std::set<std::string> used_;
  TorchState state_;
};

}  // namespace

Result<TorchState> find_torch_state(const Container& container, const TorchNames& names,
                                    const TorchSizes& sizes, const std::string& file) {
  return StateFinder(container, names, sizes, file).find();
}

}  // namespace skim

#include <algorithm>
#include <memory>

#include "bind.h"
#include "skim/layer.h"
#include "skim/spec_text.h"

namespace skim::python {
namespace {

// Row-major float32; python/skim/_reader.py converts its arguments to that.
using FloatArray = py::array_t<float, py::array::c_style | py::array::forcecast>;

std::span<const float> to_span(const FloatArray& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

WeightType to_weight_type(const std::string& name) {
  if (name == "bf16") return WeightType::bf16;
  return name == "int8" ? WeightType::int8 : WeightType::f32;
}

std::vector<NamedTensor> to_tensors(const std::vector<std::pair<std::string, FloatArray>>& arrays) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, array] : arrays) {
    const std::vector<std::size_t> shape(array.shape(), array.shape() + array.ndim());
    tensors.push_back({name, shape, to_span(array)});
  }
  return tensors;
}

Layer create(const std::string& spec, const std::vector<std::pair<std::string, FloatArray>>& arrays,
             const std::string& weight_type) {
  const ReaderSpec parsed = unwrap(reader_spec_from_json(spec));
  const std::vector<NamedTensor> tensors = to_tensors(arrays);
  const GilRelease release_gil;
  return unwrap(Layer::create(parsed, tensors, to_weight_type(weight_type)));
}

// The initial state with these values. Python checks the sizes; only an LSTM uses `cell`.
LayerState start(const Layer& layer, const FloatArray& hidden, const FloatArray& cell) {
  LayerState state = layer.start();
  const std::span<const float> hidden_values = to_span(hidden), cell_values = to_span(cell);
  unwrap(state.set_hidden(hidden_values));
  if (!state.cell().empty()) unwrap(state.set_cell(cell_values));
  return state;
}

// Returns the hidden states, the final state, widths and p_read. Works on a copy of `state`.
py::tuple read(const Layer& layer, const FloatArray& rows, const PolicyParts& policy_parts,
               LayerState state) {
  const py::ssize_t count = rows.shape(0);
  const Policy policy = to_policy(policy_parts);
  py::array_t<float> out({count, static_cast<py::ssize_t>(layer.spec().hidden_size)});
  const std::span<float> out_values(out.mutable_data(), static_cast<std::size_t>(out.size()));
  std::vector<Step> steps(static_cast<std::size_t>(count));
  Result<void> done;
  {
    const GilRelease release_gil;
    done = layer.read(to_span(rows), policy, state, out_values, steps);
  }
  unwrap(std::move(done));
  py::array_t<std::uint16_t> widths(count);
  py::array_t<float> p_read(count);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    widths.mutable_data()[i] = steps[i].width;
    p_read.mutable_data()[i] = steps[i].p_read;
  }
  return py::make_tuple(out, std::move(state), widths, p_read);
}

py::array to_array(std::span<const float> values) {
  return make_readonly_array({static_cast<py::ssize_t>(values.size())}, values.data());
}

}  // namespace

void bind_layer(py::module_& module) {
  declare_class<LayerState>(module, "LayerState")
      .def_property_readonly("hidden",
                             [](const LayerState& state) { return to_array(state.hidden()); })
      .def_property_readonly("cell", [](const LayerState& state) { return to_array(state.cell()); })
      .def_property_readonly("position", &LayerState::position);
  declare_class<Layer>(module, "Layer")
      .def_static("create", &create, py::arg("spec"), py::arg("tensors"), py::arg("weight_type"))
      .def_property_readonly("spec", [](const Layer& layer) { return to_json_text(layer.spec()); })
      .def("start", &start, py::arg("hidden"), py::arg("cell"))
      .def("read", &read, py::arg("rows"), py::arg("policy"), py::arg("state"));
}

}  // namespace skim::python

#include <algorithm>
#include <memory>

#include "bind.h"
#include "skim/layer.h"
#include "skim/spec_text.h"

namespace skim::python {
namespace {

// Row-major float32, as python/skim/_reader.py makes of whatever it was given.
using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

std::span<const float> span_of(const Floats& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

WeightType weight_type(const std::string& name) {
  if (name == "bf16") return WeightType::bf16;
  return name == "int8" ? WeightType::int8 : WeightType::f32;
}

std::vector<NamedTensor> tensors_from(const std::vector<std::pair<std::string, Floats>>& given) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, array] : given) {
    const std::vector<std::size_t> shape(array.shape(), array.shape() + array.ndim());
    tensors.push_back({name, shape, span_of(array)});
  }
  return tensors;
}

Layer layer_from(const std::string& spec, const std::vector<std::pair<std::string, Floats>>& given,
                 const std::string& weights) {
  const ReaderSpec parsed = value_of(reader_spec_from(spec));
  const std::vector<NamedTensor> tensors = tensors_from(given);
  const py::gil_scoped_release others_may_run;
  return value_of(Layer::create(parsed, tensors, weight_type(weights)));
}

// Zero, or with the values given; Python has seen to their number.
LayerState start(const Layer& layer, const Floats& hidden, const Floats& cell) {
  LayerState state = layer.start();
  const std::span<const float> from_hidden = span_of(hidden), from_cell = span_of(cell);
  if (from_hidden.size() == state.hidden.size()) {
    std::copy(from_hidden.begin(), from_hidden.end(), state.hidden.begin());
  }
  if (from_cell.size() == state.cell.size()) {
    std::copy(from_cell.begin(), from_cell.end(), state.cell.begin());
  }
  return state;
}

// Rows out, the state after them, widths and p_read. The state given stays what it was.
py::tuple read(const Layer& layer, const Floats& rows, const PolicyParts& policy_parts,
               LayerState state) {
  const py::ssize_t count = rows.shape(0);
  const Policy policy = policy_from(policy_parts);
  py::array_t<float> out({count, static_cast<py::ssize_t>(layer.spec().hidden)});
  const std::span<float> into(out.mutable_data(), static_cast<std::size_t>(out.size()));
  std::vector<Step> steps(static_cast<std::size_t>(count));
  Result<void> done;
  {
    const py::gil_scoped_release others_may_run;
    done = layer.read(span_of(rows), policy, state, into, steps);
  }
  value_of(std::move(done));
  py::array_t<std::uint16_t> widths(count);
  py::array_t<float> p_read(count);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    widths.mutable_data()[i] = steps[i].width;
    p_read.mutable_data()[i] = steps[i].p_read;
  }
  return py::make_tuple(out, std::move(state), widths, p_read);
}

py::array copy_of(const std::vector<float>& values) {
  return fixed_array({static_cast<py::ssize_t>(values.size())}, values.data());
}

}  // namespace

void bind_layer(py::module_& module) {
  py::class_<LayerState>(module, "LayerState")
      .def_property_readonly("hidden",
                             [](const LayerState& state) { return copy_of(state.hidden); })
      .def_property_readonly("cell", [](const LayerState& state) { return copy_of(state.cell); })
      .def_readonly("position", &LayerState::position);
  py::class_<Layer>(module, "Layer")
      .def(py::init(&layer_from), py::arg("spec"), py::arg("tensors"), py::arg("weights"))
      .def_property_readonly("spec", [](const Layer& layer) { return spec_text(layer.spec()); })
      .def("start", &start, py::arg("hidden"), py::arg("cell"))
      .def("read", &read, py::arg("rows"), py::arg("policy"), py::arg("state"));
}

}  // namespace skim::python

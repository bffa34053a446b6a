#include "interchange/onnx_tensors.h"

#include <cassert>

namespace skim::onnx {

Name PassTensors::constant(const std::string& name) const {
  const std::string full = pass_.prefix + name;
  return initializers_.floats(full, file_.find(full)->shape, to_floats(file_, full));
}

Name PassTensors::differences(const std::string& name) const {
  const std::string full = pass_.prefix + name;
  std::vector<std::size_t> shape = file_.find(full)->shape;
  std::vector<float> values = to_floats(file_, full);
  const std::size_t columns = values.size() / shape[0];
  shape[0] -= 1;
  for (std::size_t i = 0; i < shape[0] * columns; ++i)
    values[i] -= values[shape[0] * columns + i % columns];
  values.resize(shape[0] * columns);
  return initializers_.floats(full, shape, values);
}

Name PassTensors::state_bias(const std::string& cell) const {
  if (reader().cell != Cell::gru) return {};
  const std::string full = pass_.prefix + cell + "bias_hn";
  const std::vector<float> inner = to_floats(file_, full);
  std::vector<float> values(2 * inner.size(), 0.0F);
  values.insert(values.end(), inner.begin(), inner.end());
  return initializers_.floats(full, {values.size()}, values);
}

}  // namespace skim::onnx

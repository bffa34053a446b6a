#include "nets/linear.h"

#include <algorithm>
#include <vector>

#include "file/model_file.h"
#include "kernels/project.h"
#include "kernels/target.h"

namespace skim {

Linear::Linear(const NetParts& parts, const std::string& name, std::size_t columns) {
  const std::vector<float> values = to_floats(parts.file, name + ".weight");
  const std::vector<float> bias = to_floats(parts.file, name + ".bias");
  outputs_ = bias.size();
  std::vector<PackRow> rows;
  for (std::size_t i = 0; i < outputs_; ++i) rows.push_back({values.data() + i * columns});
  matrix_ = pack_matrix(rows, columns, WeightType::f32, projection_lanes());
  bias_.grow(matrix_.rows);
  std::copy(bias.begin(), bias.end(), bias_.data());
}

void Linear::forward(const Rows& in, Buffer<float>& out) const {
  out.grow(in.count * stride());
  if (in.count > 0) project(matrix_, bias_.data(), in, out.data(), stride());
}

}  // namespace skim

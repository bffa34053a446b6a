#include "tests/support/draft_tensors.h"

#include <cassert>

namespace skim {

DraftTensors::DraftTensors(const ModelSpec& spec) : specs_(model_tensors(spec)) {
  for (const TensorSpec& tensor : specs_) {
    std::size_t count = 1;
    for (const std::size_t size : tensor.shape) count *= size;
    indices_.emplace(tensor.name, tensors_.size());
    tensors_.push_back({tensor.name, std::vector<float>(count, 0.0F)});
  }
}

std::size_t DraftTensors::index_of(std::string_view name) const {
  const auto index = indices_.find(name);
  assert(index != indices_.end());
  return index->second;
}

std::span<float> DraftTensors::row(std::string_view name, std::size_t row) {
  const std::size_t index = index_of(name);
  const std::vector<std::size_t>& shape = specs_[index].shape;
  assert(row < shape[0]);
  const std::size_t columns = shape.size() > 1 ? shape[1] : 1;
  return std::span(tensors_[index].values).subspan(row * columns, columns);
}

void DraftTensors::noise(std::string_view name, std::size_t at_row, float size, Random& random) {
  for (float& value : row(name, at_row)) value = random.uniform_within(size);
}

}  // namespace skim

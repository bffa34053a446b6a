#include "tests/support/draft_tensors.h"

#include <cassert>

namespace skim {

DraftTensors::DraftTensors(const ModelSpec& spec) : specs_(model_tensors(spec)) {
  for (const TensorSpec& tensor : specs_) {
    std::size_t count = 1;
    for (const std::size_t size : tensor.shape) count *= size;
    places_.emplace(tensor.name, tensors_.size());
    tensors_.push_back({tensor.name, std::vector<float>(count, 0.0F)});
  }
}

const TensorSpec& DraftTensors::spec_of(std::string_view name) const {
  const auto place = places_.find(name);
  assert(place != places_.end());
  return specs_[place->second];
}

std::size_t DraftTensors::columns(std::string_view name) const {
  const TensorSpec& spec = spec_of(name);
  return spec.shape.size() > 1 ? spec.shape[1] : 1;
}

float& DraftTensors::at(std::string_view name, std::size_t row, std::size_t column) {
  assert(row < rows(name) && column < columns(name));
  return tensors_[places_.find(name)->second].values[row * columns(name) + column];
}

void DraftTensors::noise(std::string_view name, std::size_t row, float size, Random& random) {
  for (std::size_t column = 0; column < columns(name); ++column) {
    at(name, row, column) = random.within(size);
  }
}

}  // namespace skim

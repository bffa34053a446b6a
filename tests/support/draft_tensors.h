// Mutable tensors of a model draft, accessed by name, row and column.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file/model_file.h"
#include "spec/params.h"
#include "tests/generated/random.h"

namespace skim {

class DraftTensors {
 public:
  // Initializes all tensors to zero.
  explicit DraftTensors(const ModelSpec& spec);

  bool has(std::string_view name) const { return indices_.contains(name); }
  // The tensor must exist; vectors have one column.
  std::span<float> row(std::string_view name, std::size_t row);
  float& at(std::string_view name, std::size_t at_row, std::size_t column = 0) {
    return row(name, at_row)[column];
  }
  std::size_t rows(std::string_view name) const { return specs_[index_of(name)].shape[0]; }
  // Fills one row with uniform noise in [-size, size].
  void noise(std::string_view name, std::size_t at_row, float size, Random& random);

  const std::vector<TensorSpec>& specs() const { return specs_; }
  std::vector<ModelDraft::Tensor> take() { return std::move(tensors_); }

 private:
  std::size_t index_of(std::string_view name) const;

  std::vector<TensorSpec> specs_;
  std::vector<ModelDraft::Tensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> indices_;
};

}  // namespace skim

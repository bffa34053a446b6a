// Weights of one reader as ONNX initializers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "file/model_file.h"
#include "interchange/onnx_graph.h"
#include "spec/params.h"

namespace skim::onnx {

// Converts weights of any type to f32. File and initializers must outlive it.
class PassTensors {
 public:
  PassTensors(const ModelFile& file, const PassSpec& pass, Initializers& initializers)
      : file_(file), pass_(pass), initializers_(initializers) {}

  const ReaderSpec& reader() const { return pass_.reader; }
  bool backward() const { return pass_.backward; }

  // Adds a tensor by its name in the spec, such as "big.weight_ih".
  Name constant(const std::string& name) const;
  // Adds all rows but the last, minus the last row: a softmax depends on differences only. Vectors
  // count as rows of one value.
  Name differences(const std::string& name) const;
  // GRU: adds the bias of the recurrent product, bias_hn for the gate n and 0 for the others. Other
  // cells: returns an empty name.
  Name state_bias(const std::string& cell) const;

 private:
  const ModelFile& file_;
  const PassSpec& pass_;
  Initializers& initializers_;
};

}  // namespace skim::onnx

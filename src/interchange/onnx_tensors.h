// The weights of one reader on their way into a graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "file/model_file.h"
#include "interchange/onnx_graph.h"
#include "spec/params.h"

namespace skim::onnx {

// Whatever type the file has them in, they become f32. File and constants must outlive it.
class PassTensors {
 public:
  PassTensors(const ModelFile& file, const PassSpec& pass, Constants& constants)
      : file_(file), pass_(pass), constants_(constants) {}

  const ReaderSpec& reader() const { return pass_.reader; }
  bool backward() const { return pass_.backward; }

  // The tensor that the spec calls so: "big.w".
  Name constant(const std::string& name) const;
  // Its rows but the last, which is subtracted from them: all that matters of a decision. Vectors
  // count as rows of one.
  Name differences(const std::string& name) const;
  // GRU: a bias for the product with the state that is bn for the gate n and 0 for the others.
  // Other cells: no name.
  Name state_bias(const std::string& cell) const;

 private:
  const ModelFile& file_;
  const PassSpec& pass_;
  Constants& constants_;
};

}  // namespace skim::onnx

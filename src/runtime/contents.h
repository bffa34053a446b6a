// What stands behind a Model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "nets/net.h"
#include "readers/reader.h"
#include "skim/model.h"
#include "spec/cost.h"
#include "spec/params.h"
#include "text/vocab.h"

namespace skim {

// The vectors of the words, straight from the mapped file: nothing is copied until a word comes up.
class FileWords final : public WordSource {
 public:
  // The file must stay where it is.
  explicit FileWords(const ModelFile& file)
      : vectors_(file.find("words")), scale_(file.find("words.scale")) {}

  std::size_t count() const override { return vectors_->shape[0]; }
  std::size_t width() const override { return vectors_->shape[1]; }
  void vector(std::uint32_t id, float* out) const noexcept override {
    row_to_floats(*vectors_, scale_, id, out);
  }

 private:
  const TensorView* vectors_;
  const TensorView* scale_;  // of int8 vectors only
};

// What a model shares with its plain twin.
struct OpenModel {
  OpenModel(ModelFile opened, Vocab words_of_it)
      : file(std::move(opened)), vocab(std::move(words_of_it)), words(file) {}
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;

  ModelFile file;
  Vocab vocab;
  FileWords words;
};

struct ModelContents {
  std::shared_ptr<const OpenModel> open;
  LoadOptions options;
  ModelSpec spec;           // the file's, or its plain twin's
  Calibration calibration;  // empty for the plain twin, which has no threshold
  std::vector<PassSpec> passes;
  std::unique_ptr<const Net> net;
};

}  // namespace skim

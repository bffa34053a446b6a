// Implementation of Model.
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

// The embeddings in the bytes of the file. lookup() converts single rows; nothing else is copied.
class FileEmbeddings final : public EmbeddingTable {
 public:
  // `file` must outlive the table and must not move.
  explicit FileEmbeddings(const ModelFile& file)
      : weight_(file.find("embedding.weight")), scale_(file.find("embedding.weight.scale")) {}

  std::size_t num_embeddings() const override { return weight_->shape[0]; }
  std::size_t embedding_size() const override { return weight_->shape[1]; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    row_to_floats(*weight_, scale_, id, out);
  }

 private:
  const TensorView* weight_;
  const TensorView* scale_;  // int8 only
};

// The file, vocabulary and embeddings, shared by a model and its dense baseline.
struct ModelResources {
  ModelResources(ModelFile opened, Vocab vocabulary)
      : file(std::move(opened)), vocab(std::move(vocabulary)), embeddings(file) {}
  ModelResources(const ModelResources&) = delete;
  ModelResources& operator=(const ModelResources&) = delete;

  ModelFile file;
  Vocab vocab;
  FileEmbeddings embeddings;
};

// A loaded model.
struct ModelImpl {
  std::shared_ptr<const ModelResources> resources;
  LoadOptions options;
  ModelSpec spec;           // of the file, or of the dense baseline
  Calibration calibration;  // without points for the dense baseline, which has no threshold
  std::vector<float> label_thresholds;  // of multi-label models: one per label
  std::vector<PassSpec> passes;
  std::unique_ptr<const Net> net;
};

// Grants the library's own code access to the implementation of a model.
struct ModelAccess {
  static const ModelImpl& impl(const Model& model) { return *model.impl_; }
};

inline const ModelImpl& model_impl(const Model& model) { return ModelAccess::impl(model); }

}  // namespace skim

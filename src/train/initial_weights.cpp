#include "train/initial_weights.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "spec/names.h"
#include "spec/params.h"

namespace skim::train {
namespace {

// Copies the embeddings of common words and returns their number.
std::size_t copy_embeddings(const ModelFile& file, Vocabulary& vocabulary) {
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t i = 0; i < file.vocabulary.size(); ++i) rows.emplace(file.vocabulary[i], i);
  const std::vector<float> embeddings = to_floats(file, "embedding.weight");
  const auto size = static_cast<std::size_t>(vocabulary.embedding_size);
  std::size_t copied = 0;
  for (std::size_t i = 0; i < vocabulary.words.size(); ++i) {
    const auto row = rows.find(vocabulary.words[i]);
    if (row == rows.end()) continue;
    std::copy_n(embeddings.data() + row->second * size, size,
                vocabulary.embeddings.data() + i * size);
    vocabulary.pretrained[i] = 1;
    ++copied;
  }
  return copied;
}

}  // namespace

Result<InitialWeights> load_initial_weights(const ModelFile& file, const ModelSpec& spec,
                                            Vocabulary& vocabulary) {
  if (file.spec.reader.cell != spec.reader.cell)
    return fail(Fault::mismatch, file.name + ": its cell is " +
                                     std::string(to_string(file.spec.reader.cell)) + ", expected " +
                                     std::string(to_string(spec.reader.cell)));
  if (file.spec.embedding_size != vocabulary.embedding_size)
    return fail(Fault::mismatch, file.name + ": its embedding size is " +
                                     std::to_string(file.spec.embedding_size) + ", expected " +
                                     std::to_string(vocabulary.embedding_size));
  InitialWeights initial;
  initial.checksum = file.data_checksum;
  for (const TensorSpec& tensor : model_tensors(spec)) {
    const TensorView* found = file.find(tensor.name);
    if (tensor.name == "embedding.weight" || found == nullptr || found->shape != tensor.shape)
      continue;
    const bool same_output = file.spec.labels == spec.labels && file.spec.output == spec.output;
    if (tensor.name.starts_with("head.") && !same_output) continue;
    if (tensor.name != "subword.weight")
      initial.weights[tensor.name] = to_floats(file, tensor.name);
    else if (file.spec.subwords == spec.subwords)
      initial.subwords = to_floats(file, tensor.name);
  }
  if (initial.weights.empty())
    return fail(Fault::mismatch,
                file.name + ": none of its tensors fits the model that these options describe");
  initial.num_embeddings = copy_embeddings(file, vocabulary);
  return initial;
}

}  // namespace skim::train

#include "train/start.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "spec/names.h"
#include "spec/params.h"

namespace skim::train {
namespace {

// Copies the vectors of the words that both know; how many those were.
std::size_t take_vectors(const ModelFile& file, Vocabulary& vocabulary) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < file.vocabulary.size(); ++i) places.emplace(file.vocabulary[i], i);
  const std::vector<float> vectors = to_floats(file, "words");
  const auto width = static_cast<std::size_t>(vocabulary.width);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < vocabulary.words.size(); ++i) {
    const auto place = places.find(vocabulary.words[i]);
    if (place == places.end()) continue;
    std::copy_n(vectors.data() + place->second * width, width,
                vocabulary.vectors.data() + i * width);
    vocabulary.known[i] = 1;
    ++taken;
  }
  return taken;
}

}  // namespace

Result<Start> start_from(const ModelFile& file, const ModelSpec& spec, Vocabulary& vocabulary) {
  if (file.spec.reader.cell != spec.reader.cell)
    return fail(Fault::mismatch, file.name + ": its cell is " +
                                     std::string(name_of(file.spec.reader.cell)) + ", not " +
                                     std::string(name_of(spec.reader.cell)));
  if (file.spec.word_width != vocabulary.width)
    return fail(Fault::mismatch,
                file.name + ": its word vectors have " + std::to_string(file.spec.word_width) +
                    " numbers, here they have " + std::to_string(vocabulary.width));
  Start start;
  start.checksum = file.data_checksum;
  for (const TensorSpec& tensor : model_tensors(spec)) {
    const TensorView* found = file.find(tensor.name);
    if (tensor.name == "words" || found == nullptr || found->shape != tensor.shape) continue;
    if (tensor.name.starts_with("head.") && file.spec.labels != spec.labels) continue;
    start.weights[tensor.name] = to_floats(file, tensor.name);
  }
  if (start.weights.empty())
    return fail(Fault::mismatch,
                file.name + ": none of its weights fit the model that is asked for");
  start.words = take_vectors(file, vocabulary);
  return start;
}

}  // namespace skim::train

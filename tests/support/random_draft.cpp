#include "tests/support/random_draft.h"

#include <array>
#include <cmath>
#include <string_view>

#include "spec/params.h"
#include "tests/generated/random.h"
#include "tests/support/draft_tensors.h"

namespace skim {
namespace {

bool ends_with(std::string_view name, std::string_view end) { return name.ends_with(end); }

// Bound of a tensor's uniform weights. Decisions get large weights, so that p_read varies and all
// levels occur.
float weight_bound(const TensorSpec& tensor) {
  const std::string_view name = tensor.name;
  if (name == "embedding.weight" || name == "subword.weight") return 1.0F;
  if (ends_with(name, "decision.scale")) return 2.0F;
  if (ends_with(name, ".bias") || ends_with(name, ".bias_hn")) return 0.2F;
  const float uniform = std::sqrt(3.0F / static_cast<float>(tensor.shape.back()));
  return name.find("decision.") != std::string_view::npos ? 3.0F * uniform : uniform;
}

}  // namespace

ModelDraft random_draft(ModelSpec spec, std::uint64_t seed) {
  if (spec.vocab_size == 0) spec.vocab_size = 50;
  if (spec.labels.empty() && spec.net == NetKind::classifier &&
      spec.output != OutputActivation::linear)
    spec.labels = {"no", "maybe", "yes"};
  Random random(seed, 1);
  DraftTensors tensors(spec);
  for (const TensorSpec& tensor : tensors.specs()) {
    const float size = weight_bound(tensor);
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
      tensors.noise(tensor.name, row, size, random);
    }
  }
  ModelDraft draft;
  draft.spec = std::move(spec);
  draft.about = "random weights";
  draft.vocabulary.push_back("<unknown>");
  for (int i = 1; i < draft.spec.vocab_size; ++i) {
    draft.vocabulary.push_back(synthetic_word(static_cast<std::size_t>(i)));
  }
  draft.tensors = tensors.take();
  return draft;
}

std::string synthetic_word(std::size_t index) {
  constexpr std::array<std::string_view, 16> kSyllables = {"ba", "do", "fe", "gu", "hi", "jo",
                                                           "ka", "lu", "mo", "ni", "po", "ra",
                                                           "su", "ti", "vu", "wo"};
  // No English word starts with this prefix.
  std::string word = "zx";
  do {
    word += kSyllables[index % kSyllables.size()];
    index /= kSyllables.size();
  } while (index > 0);
  return word;
}

std::string random_text(const ModelSpec& spec, std::size_t count, std::uint64_t seed) {
  Random random(seed, 2);
  const std::size_t vocab_size =
      spec.vocab_size == 0 ? 50 : static_cast<std::size_t>(spec.vocab_size);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    text += synthetic_word(1 + random.below(vocab_size + vocab_size / 10 + 1));
  }
  return text;
}

}  // namespace skim

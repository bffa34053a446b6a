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

// Decisions get large weights, so that p_read is spread and both levels occur.
float size_of_weights(const TensorSpec& tensor) {
  const std::string_view name = tensor.name;
  if (name == "words") return 1.0F;
  if (ends_with(name, "decision.scale")) return 2.0F;
  if (ends_with(name, ".b") || ends_with(name, ".bn")) return 0.2F;
  const float even = std::sqrt(3.0F / static_cast<float>(tensor.shape.back()));
  return name.find("decision.") != std::string_view::npos ? 3.0F * even : even;
}

}  // namespace

ModelDraft random_draft(ModelSpec spec, std::uint64_t seed) {
  if (spec.vocabulary == 0) spec.vocabulary = 50;
  if (spec.labels.empty() && spec.net == NetKind::classifier) spec.labels = {"no", "maybe", "yes"};
  Random random(seed, 1);
  DraftTensors tensors(spec);
  for (const TensorSpec& tensor : tensors.specs()) {
    const float size = size_of_weights(tensor);
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
      tensors.noise(tensor.name, row, size, random);
    }
  }
  ModelDraft draft;
  draft.spec = std::move(spec);
  draft.about = "random weights";
  draft.vocabulary.push_back("<unknown>");
  for (int i = 1; i < draft.spec.vocabulary; ++i) {
    draft.vocabulary.push_back(made_up_word(static_cast<std::size_t>(i)));
  }
  draft.tensors = tensors.take();
  return draft;
}

std::string made_up_word(std::size_t index) {
  constexpr std::array<std::string_view, 16> kSyllables = {"ba", "do", "fe", "gu", "hi", "jo",
                                                           "ka", "lu", "mo", "ni", "po", "ra",
                                                           "su", "ti", "vu", "wo"};
  // The first syllable starts no English word.
  std::string word = "zx";
  do {
    word += kSyllables[index % kSyllables.size()];
    index /= kSyllables.size();
  } while (index > 0);
  return word;
}

std::string random_text(const ModelSpec& spec, std::size_t count, std::uint64_t seed) {
  Random random(seed, 2);
  const std::size_t known = spec.vocabulary == 0 ? 50 : static_cast<std::size_t>(spec.vocabulary);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    text += made_up_word(1 + random.below(known + known / 10 + 1));
  }
  return text;
}

}  // namespace skim

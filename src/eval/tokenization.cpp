#include "eval/tokenization.h"

#include "runtime/model_impl.h"

namespace skim {

std::size_t TokenizationStep::run(std::string_view text) {
  const ModelImpl& impl = model_impl(model_);
  encode(text, impl.spec.tokenizer, impl.resources->vocab, words_, ids_);
  return words_.size();
}

}  // namespace skim

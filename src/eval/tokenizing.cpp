#include "eval/tokenizing.h"

#include "runtime/contents.h"

namespace skim {

std::size_t Tokenizing::find_words(std::string_view text) {
  const ModelContents& contents = model_.contents();
  encode(text, contents.spec.tokenizer, contents.open->vocab, words_, ids_);
  return words_.size();
}

}  // namespace skim

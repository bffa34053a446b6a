// Imports a classifier trained with PyTorch as a model with a dense reader.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "interchange/torch_state.h"
#include "skim/result.h"

namespace skim {

struct TorchImport {
  TorchNames names;
  std::vector<std::string> words;  // in the order of the embedding's rows
  std::string unknown;             // entry for unknown words; empty: one of the usual spellings
  std::vector<std::string> labels;
  Pooling pooling = Pooling::last;  // not attention
  TokenizerKind tokenizer = TokenizerKind::english;
};

// Imports a safetensors file; `name` is used in messages. The import is exact: anything unsupported
// is an error. The draft has probes computed by the runtime.
Result<ModelDraft> import_torch(std::span<const std::byte> file, const std::string& name,
                                const TorchImport& options);

// Counts the words that no text can produce: those that differ from their normalized form, or that
// the tokenizer splits.
std::size_t count_unreachable_words(const ModelDraft& draft);

}  // namespace skim

// A plain classifier that PyTorch has trained, as a model of ours with a full reader.
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
  std::string unknown;  // which of them stands for all others; empty: the usual spellings
  std::vector<std::string> labels;
  Pooling pooling = Pooling::last;  // not attention
  Tokenizer tokenizer = Tokenizer::english;
};

// `file` is a safetensors file, `name` stands for it in messages. Nothing is approximated: what has
// no counterpart is an error. The draft has probes, answered by the runtime.
Result<ModelDraft> import_torch(std::span<const std::byte> file, const std::string& name,
                                const TorchImport& wanted);

// How many words no text can bring up: those that are not spelled as words are looked up, or that
// the tokenizer cuts.
std::size_t words_out_of_reach(const ModelDraft& draft);

}  // namespace skim

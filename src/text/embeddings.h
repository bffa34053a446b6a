// Pretrained word embeddings in text format: GloVe, word2vec (with a header line) and fastText .vec
// files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"

namespace skim {

// The embedding of words[i] is row i of `values` [words, embedding_size], row-major. Words are
// unique.
struct PretrainedEmbeddings {
  std::vector<std::string> words;
  std::size_t embedding_size = 0;
  std::vector<float> values;
};

struct EmbeddingOptions {
  // Loads only these words, spelled as in the file; all words when empty. The values of other words
  // are not validated.
  std::span<const std::string_view> wanted = {};
  // Stops after this many words.
  std::size_t max_words = std::numeric_limits<std::size_t>::max();
};

// Parses one word per line, followed by its values, separated by spaces or tabs. A first line of
// two integers is a header: the number of words and the embedding size. Without a header the first
// line determines the embedding size. Words may contain spaces as long as no part but the first is
// a number. The first of several lines of a word counts. Errors give `name`, line and reason.
Result<PretrainedEmbeddings> parse_embeddings(std::string_view bytes, const std::string& name,
                                              const EmbeddingOptions& options = {});

Result<PretrainedEmbeddings> load_embeddings(const std::filesystem::path& path,
                                             const EmbeddingOptions& options = {});

}  // namespace skim

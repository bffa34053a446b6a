// Word vectors as text: GloVe, word2vec (with its header line) and fastText .vec files.
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

// words[i] owns values[i * width] to values[(i + 1) * width - 1]. No word comes twice.
struct WordVectors {
  std::vector<std::string> words;
  std::size_t width = 0;
  std::vector<float> values;
};

struct VectorOptions {
  // Only these words, spelled as in the file; all words when empty. Lines of other words are passed
  // over without a look at their values.
  std::span<const std::string_view> wanted = {};
  // Stop after so many words were taken.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

// One word a line and then its values, apart by spaces or tabs. A first line of two whole numbers
// is a header: the number of words and the width; without it the first line sets the width. Words
// may hold spaces as long as no part but the first reads as a number. When a word comes again,
// the first line counts. A line that breaks the format is an error that names `name`, line and
// reason.
Result<WordVectors> parse_vectors(std::string_view bytes, const std::string& name,
                                  const VectorOptions& options = {});

Result<WordVectors> load_vectors(const std::filesystem::path& path,
                                 const VectorOptions& options = {});

}  // namespace skim

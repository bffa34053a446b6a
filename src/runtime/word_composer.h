// Composes the embeddings of unknown words from their character n-grams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "file/model_file.h"
#include "skim/token_span.h"
#include "text/subwords.h"
#include "text/vocab.h"

namespace skim {

// Gives the unknown words of a text ids from the size of the vocabulary upward and appends their
// embeddings to a list. Words seen before come from a cache of fixed size, which changes time, not
// results. Belongs to one thread; `file` must outlive it.
class WordComposer {
 public:
  // Nothing for a model without subwords.
  static std::optional<WordComposer> create(const ModelFile& file);

  // Starts a text (with its question and choices), whose composed embeddings replace `rows`.
  void start_text(std::vector<float>& rows);
  // Replaces the ids of the unknown words and appends their embeddings to `rows`. A word without
  // n-grams stays unknown.
  void compose(std::string_view text, std::span<const TokenSpan> words, std::span<WordId> ids,
               std::vector<float>& rows);
  WordId compose(std::string_view word, std::vector<float>& rows);

  // Bounds of the cache.
  static constexpr std::size_t kMaxCachedWords = 1024, kMaxCachedFloats = 1 << 18;
  static constexpr std::size_t kMaxCachedSpelling = 46;

 private:
  // A cached word. `id` is its id in the text with number `text`.
  struct Entry {
    std::uint64_t text = 0;
    WordId id = 0;
    std::uint8_t length = 0;  // 0: free
    char spelling[kMaxCachedSpelling] = {};
  };

  explicit WordComposer(const ModelFile& file);
  // The entry where a spelling is or would be cached; null when it is too long.
  Entry* find_entry(std::string_view spelling);
  float* cached_row(const Entry& entry) {
    return cached_rows_.data() + static_cast<std::size_t>(&entry - entries_.data()) * size_;
  }
  // Writes the embedding of the hasher's word; false when it has no n-grams.
  bool compose_row(float* out);
  WordId append(const float* row, std::vector<float>& rows) const;

  std::size_t vocab_size_, size_;
  const TensorView *embedding_, *embedding_scale_, *table_, *table_scale_;
  SubwordHasher hasher_;
  std::vector<float> scratch_;  // of add_mean_row, and one embedding
  std::uint64_t text_ = 0;
  std::vector<Entry> entries_;  // allocated on first use
  std::vector<float> cached_rows_;
};

}  // namespace skim

// The vocabulary: words and their ids. Look-up normalizes words; id 0 is the unknown word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "skim/token_span.h"

namespace skim {

using WordId = std::uint32_t;
inline constexpr WordId kUnknown = 0;

class Vocab {
 public:
  Vocab() = default;
  // `words[i]` gets id i; they must be unique and not empty. words[0] is the entry of unknown
  // words; it is never matched. The views must outlive the vocabulary. A word matches the entry
  // that equals its normalized form (normalize.h), which depends on the tokenizer of the texts; an
  // entry in upper case is never found.
  static Result<Vocab> create(std::span<const std::string_view> words, TokenizerKind tokenizer);

  std::size_t size() const { return words_.size(); }
  // `id` is below size().
  std::string_view word(WordId id) const { return words_[id]; }
  // The id of `word`, which may have any case and any bytes. Invalid UTF-8 counts as U+FFFD. A run
  // of full stops or hyphens without an entry of its own counts as "..." or "--".
  WordId find(std::string_view word) const;
  // The ids of many words of one text: ids[i] is that of words[i]. Faster than single look-ups.
  void find(std::string_view text, std::span<const TokenSpan> words, std::span<WordId> ids) const;

  // The key of a normalized word: its up to 15 bytes with their number in the last byte. Longer
  // words have a hash, marked by 255 in the last byte; their spelling must be compared too.
  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Key&) const = default;
  };

 private:
  struct Slot {
    Key key;  // zero when free: no word is empty
    WordId id = 0;
  };
  struct Pending {
    Key key;
    const Slot* slot;
  };

  std::size_t home(Key key) const;
  // The id of `word`, which has `key`, by linear probing from `at`.
  WordId probe(Key key, std::size_t at, std::string_view word) const;
  WordId find_run(std::string_view word) const;
  // Inserts words_[id], which has `key`.
  Result<void> insert(WordId id, Key key);

  std::vector<std::string_view> words_;
  // Open addressing with linear probing; the size is a power of two, at most half of it is used.
  std::vector<Slot> slots_;
  TokenizerKind tokenizer_ = TokenizerKind::english;
  int shift_ = 0;  // 64 minus the binary logarithm of the number of slots
};

// Tokenizes a text and looks up its words. Overwrites both vectors, which get the same length;
// allocates nothing when their capacity suffices.
void encode(std::string_view text, TokenizerKind kind, const Vocab& vocab,
            std::vector<TokenSpan>& words, std::vector<WordId>& ids);

}  // namespace skim

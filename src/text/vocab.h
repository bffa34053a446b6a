// Words and their ids. Look-up is in lower case; id 0 is the unknown word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

using WordId = std::uint32_t;
inline constexpr WordId kUnknown = 0;

class Vocab {
 public:
  Vocab() = default;
  // `words[i]` gets id i; they must be unique and not empty. words[0] is the unknown word's entry,
  // its spelling is never matched. The views must outlive the vocabulary. An entry is found by the
  // words whose normal form (normal_form.h) is its very bytes: one in upper case is never found.
  static Result<Vocab> create(std::span<const std::string_view> words);

  std::size_t size() const { return words_.size(); }
  // `id` is below size().
  std::string_view word(WordId id) const { return words_[id]; }
  // `word` is taken as it stands in a text: any case, any bytes. Invalid UTF-8 counts as U+FFFD. A
  // run of full stops or hyphens without an entry of its own counts as "..." or "--".
  WordId find(std::string_view word) const;
  // The same for many words of one text, faster: ids[i] belongs to words[i]; equally long.
  void find(std::string_view text, std::span<const Word> words, std::span<WordId> ids) const;

  // How a word is compared: up to 15 bytes of its normal form with their number in the last byte,
  // or a digest of longer ones, marked by 255 there, whose spelling must then be compared too.
  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Key&) const = default;
  };

 private:
  struct Slot {
    Key key;  // all zero when free: no word is empty
    WordId id = 0;
  };
  struct Pending {
    Key key;
    const Slot* slot;
  };

  std::size_t home(Key key) const;
  // `word` has the key and lies in the table from `at` on, or nowhere.
  WordId probe(Key key, std::size_t at, std::string_view word) const;
  WordId find_run(std::string_view word) const;
  Result<void> insert(WordId id);

  std::vector<std::string_view> words_;
  // A power of two, at most half full; the neighbour takes what finds its slot taken.
  std::vector<Slot> slots_;
  int shift_ = 0;  // 64 minus the binary logarithm of the number of slots
};

// Text to words and ids in one go: the fast path of every reading. Both vectors are overwritten,
// equally long; nothing is allocated once they have the capacity.
void encode(std::string_view text, Tokenizer kind, const Vocab& vocab, std::vector<Word>& words,
            std::vector<WordId>& ids);

}  // namespace skim

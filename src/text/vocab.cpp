#include "text/vocab.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "base/result_macros.h"
#include "base/utf8.h"
#include "text/case_folder.h"
#include "text/normalize.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

using Key = Vocab::Key;

static_assert(std::endian::native == std::endian::little, "keys are made of little-endian loads");

constexpr std::size_t kMaxInlineBytes = 15;  // of a word that its key holds completely
constexpr std::size_t kLoadBytes = 16;
constexpr std::uint64_t kByteOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = kByteOnes * 0x80;

constexpr std::uint64_t length_tag(std::size_t length) {
  return std::uint64_t{std::min<std::size_t>(length, 255)} << 56;
}

// kPrefixMasks[n] masks the first n of 16 bytes.
constexpr auto kPrefixMasks = [] {
  std::array<Key, kLoadBytes> masks{};
  for (std::size_t n = 1; n < kLoadBytes; ++n) {
    masks[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * n) - 1;
    masks[n].high = n <= 8 ? 0 : (std::uint64_t{1} << 8 * (n - 8)) - 1;
  }
  return masks;
}();

// Lower case of eight ASCII bytes.
constexpr std::uint64_t lower(std::uint64_t bytes) {
  const std::uint64_t from_a = bytes + kByteOnes * (0x80 - 'A');
  const std::uint64_t past_z = bytes + kByteOnes * (0x7F - 'Z');
  return bytes | ((from_a & ~past_z & kHighBits) >> 2);
}

// Loads the first `length` <= 15 bytes; 16 must be readable.
Key load_key(const char* bytes, std::size_t length) {
  Key key;
  std::memcpy(&key.low, bytes, sizeof key.low);
  std::memcpy(&key.high, bytes + sizeof key.low, sizeof key.high);
  key.low &= kPrefixMasks[length].low;
  key.high &= kPrefixMasks[length].high;
  return key;
}

// Builds the key of a word byte by byte, for words that are long or not ASCII.
class KeyBuilder {
 public:
  void add(char32_t code) {
    std::array<char, 4> bytes{};
    add(std::string_view(bytes.data(), encode_utf8(code, bytes.data())));
  }
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      if (count_ < kMaxInlineBytes) prefix_[count_] = byte;
      ++count_;
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x9E3779B97F4A7C15;
      hash_ ^= hash_ >> 29;
    }
  }
  Key key() const {
    if (count_ > kMaxInlineBytes) return {hash_, length_tag(255)};
    Key key = load_key(prefix_.data(), count_);
    key.high |= length_tag(count_);
    return key;
  }

 private:
  std::array<char, kLoadBytes> prefix_{};
  std::size_t count_ = 0;
  std::uint64_t hash_ = 0;
};

// The key of an entry, which is not normalized.
Key entry_key(std::string_view word) {
  if (word.size() <= kMaxInlineBytes) {
    std::array<char, kLoadBytes> bytes{};
    word.copy(bytes.data(), kMaxInlineBytes);
    Key key = load_key(bytes.data(), word.size());
    key.high |= length_tag(word.size());
    return key;
  }
  KeyBuilder builder;
  builder.add(word);
  return builder.key();
}

// The key of any word.
[[gnu::noinline]] Key slow_key(std::string_view word, TokenizerKind tokenizer) {
  KeyBuilder builder;
  if (tokenizer == TokenizerKind::unicode) {
    CaseFolder folder(word);
    for (auto piece = folder.next(); !piece.empty(); piece = folder.next()) builder.add(piece);
    return builder.key();
  }
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint next = decode_utf8(word, at);
    builder.add(normalize(next.code));
    at += next.length;
  }
  return builder.key();
}

// The key of `word`. `bytes` is its start; 16 bytes must be readable there.
inline Key word_key(std::string_view word, const char* bytes, TokenizerKind tokenizer) {
  if (word.size() > kMaxInlineBytes) return slow_key(word, tokenizer);
  Key key = load_key(bytes, word.size());
  if (((key.low | key.high) & kHighBits) != 0) return slow_key(word, tokenizer);
  return {lower(key.low), lower(key.high) | length_tag(word.size())};
}

bool folds_to(std::string_view word, std::string_view spelling) {
  CaseFolder folder(word);
  for (auto piece = folder.next(); !piece.empty(); piece = folder.next()) {
    if (!spelling.starts_with(piece)) return false;
    spelling.remove_prefix(piece.size());
  }
  return spelling.empty();
}

// Whether `word` normalizes to `spelling`.
bool normalizes_to(std::string_view word, std::string_view spelling, TokenizerKind tokenizer) {
  if (tokenizer == TokenizerKind::unicode) return folds_to(word, spelling);
  std::size_t at = 0;
  while (at < word.size()) {
    const CodePoint next = decode_utf8(word, at);
    std::array<char, 4> bytes{};
    const std::size_t length = encode_utf8(normalize(next.code), bytes.data());
    if (!spelling.starts_with(std::string_view(bytes.data(), length))) return false;
    spelling.remove_prefix(length);
    at += next.length;
  }
  return spelling.empty();
}

bool is_long(Key key) { return key.high >> 56 == 255; }

// For error messages: a damaged file can contain words of any length.
std::string quote_word(std::string_view word) {
  constexpr std::size_t kShown = 60;
  return "'" + std::string(word.substr(0, kShown)) + (word.size() > kShown ? "...'" : "'");
}

}  // namespace

Result<Vocab> Vocab::create(std::span<const std::string_view> words, TokenizerKind tokenizer) {
  if (words.size() > std::numeric_limits<WordId>::max()) {
    return fail(Fault::format, "vocabulary: " + std::to_string(words.size()) +
                                   " words exceed the range of 32-bit ids");
  }
  Vocab vocab;
  vocab.tokenizer_ = tokenizer;
  vocab.words_.assign(words.begin(), words.end());
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * words.size(), 2));
  vocab.slots_.resize(slots);
  vocab.shift_ = 64 - std::countr_zero(slots);
  // The home slots of a batch are prefetched, as in find().
  std::array<Key, 32> keys;
  for (std::size_t first = 1; first < words.size(); first += keys.size()) {
    const std::size_t count = std::min(keys.size(), words.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = entry_key(words[first + i]);
      __builtin_prefetch(vocab.slots_.data() + vocab.home(keys[i]), 1);
    }
    for (std::size_t i = 0; i < count; ++i)
      SKIM_RETURN_IF_ERROR(vocab.insert(static_cast<WordId>(first + i), keys[i]));
  }
  return vocab;
}

// Frequent words usually come first in a vocabulary, so they get their home slots.
Result<void> Vocab::insert(WordId id, Key key) {
  const std::string_view word = words_[id];
  if (word.empty()) {
    return fail(Fault::format, "vocabulary: the word with id " + std::to_string(id) + " is empty");
  }
  std::size_t at = home(key);
  for (; slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].key == key && (!is_long(key) || words_[slots_[at].id] == word)) {
      return fail(Fault::format, "vocabulary: " + quote_word(word) + " has both id " +
                                     std::to_string(slots_[at].id) + " and id " +
                                     std::to_string(id) + "; words must be unique");
    }
  }
  slots_[at] = {key, id};
  return {};
}

std::size_t Vocab::home(Key key) const {
  std::uint64_t hash = key.low ^ key.high * 0xD6E8FEB86659FD93;
  hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>(hash >> shift_);
}

WordId Vocab::probe(Key key, std::size_t at, std::string_view word) const {
  for (; slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].key != key) continue;
    if (!is_long(key) || normalizes_to(word, words_[slots_[at].id], tokenizer_))
      return slots_[at].id;
  }
  return find_run(word);
}

WordId Vocab::find_run(std::string_view word) const {
  if (word.size() < 2 || (word[0] != '.' && word[0] != '-')) return kUnknown;
  const std::string_view usual = word[0] == '.' ? "..." : "--";
  if (word == usual || word.find_first_not_of(word[0]) != word.npos) return kUnknown;
  const Key key = entry_key(usual);
  return probe(key, home(key), usual);
}

WordId Vocab::find(std::string_view word) const {
  if (slots_.empty()) return kUnknown;
  std::array<char, kLoadBytes> bytes{};
  word.copy(bytes.data(), kMaxInlineBytes);
  const Key key = word_key(word, bytes.data(), tokenizer_);
  return probe(key, home(key), word);
}

void Vocab::find(std::string_view text, std::span<const TokenSpan> words,
                 std::span<WordId> ids) const {
  const auto spelling = [&](TokenSpan word) {
    return std::string_view(text.data() + word.begin, word.end - word.begin);
  };
  // Words too close to the end of the text for a load of 16 bytes are looked up one by one.
  std::size_t left = words.size();
  for (; left > 0 && words[left - 1].begin + kLoadBytes > text.size(); --left) {
    ids[left - 1] = find(spelling(words[left - 1]));
  }
  if (slots_.empty()) return std::fill(ids.begin(), ids.end(), kUnknown);

  // The table of a large vocabulary does not fit the L2 cache: a batch of slots is prefetched. With
  // 60,000 words this makes encode 1.12 times as fast (242 against 215 MB/s).
  std::array<Pending, 32> batch;
  for (std::size_t first = 0; first < left; first += batch.size()) {
    const std::size_t count = std::min(batch.size(), left - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view word = spelling(words[first + i]);
      const Key key = word_key(word, word.data(), tokenizer_);
      const Slot* slot = slots_.data() + home(key);
      __builtin_prefetch(slot);
      batch[i] = {key, slot};
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto [key, slot] = batch[i];
      // Nearly every word is in its home slot.
      const bool found = slot->key == key && !is_long(key);
      ids[first + i] = found ? slot->id : probe(key, home(key), spelling(words[first + i]));
    }
  }
}

void encode(std::string_view text, TokenizerKind kind, const Vocab& vocab,
            std::vector<TokenSpan>& words, std::vector<WordId>& ids) {
  tokenize(text, kind, words);
  ids.resize(words.size());
  vocab.find(text, words, ids);
}

}  // namespace skim

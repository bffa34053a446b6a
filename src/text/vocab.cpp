#include "text/vocab.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "text/characters.h"
#include "text/normal_form.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

using Key = Vocab::Key;

static_assert(std::endian::native == std::endian::little, "keys are made of little-endian loads");

constexpr std::size_t kLongest = 15;  // bytes that fit a key whole
constexpr std::size_t kLoad = 16;
constexpr std::uint64_t kEveryByte = 0x0101010101010101;
constexpr std::uint64_t kHighBits = kEveryByte * 0x80;

constexpr std::uint64_t length_mark(std::size_t length) {
  return std::uint64_t{std::min<std::size_t>(length, 255)} << 56;
}

// kKeep[n] keeps the first n of 16 bytes.
constexpr auto kKeep = [] {
  std::array<Key, kLoad> masks{};
  for (std::size_t n = 1; n < kLoad; ++n) {
    masks[n].low = n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * n) - 1;
    masks[n].high = n <= 8 ? 0 : (std::uint64_t{1} << 8 * (n - 8)) - 1;
  }
  return masks;
}();

// Lower case of eight ASCII bytes.
constexpr std::uint64_t lower(std::uint64_t bytes) {
  const std::uint64_t from_a = bytes + kEveryByte * (0x80 - 'A');
  const std::uint64_t past_z = bytes + kEveryByte * (0x7F - 'Z');
  return bytes | ((from_a & ~past_z & kHighBits) >> 2);
}

// The first `length` <= 15 of the 16 readable bytes at `bytes`, as they are.
Key load_key(const char* bytes, std::size_t length) {
  Key key;
  std::memcpy(&key.low, bytes, sizeof key.low);
  std::memcpy(&key.high, bytes + sizeof key.low, sizeof key.high);
  key.low &= kKeep[length].low;
  key.high &= kKeep[length].high;
  return key;
}

// Takes the bytes of a word one by one, for words that are long or not ASCII.
class KeyMaker {
 public:
  void add(char32_t code) {
    std::array<char, 4> bytes{};
    add(std::string_view(bytes.data(), encode_utf8(code, bytes.data())));
  }
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      if (count_ < kLongest) head_[count_] = byte;
      ++count_;
      digest_ = (digest_ ^ static_cast<unsigned char>(byte)) * 0x9E3779B97F4A7C15;
      digest_ ^= digest_ >> 29;
    }
  }
  Key key() const {
    if (count_ > kLongest) return {digest_, length_mark(255)};
    Key key = load_key(head_.data(), count_);
    key.high |= length_mark(count_);
    return key;
  }

 private:
  std::array<char, kLoad> head_{};
  std::size_t count_ = 0;
  std::uint64_t digest_ = 0;
};

Key key_as_spelled(std::string_view word) {
  if (word.size() <= kLongest) {
    std::array<char, kLoad> bytes{};
    word.copy(bytes.data(), kLongest);
    Key key = load_key(bytes.data(), word.size());
    key.high |= length_mark(word.size());
    return key;
  }
  KeyMaker maker;
  maker.add(word);
  return maker.key();
}

[[gnu::noinline]] Key key_of_any(std::string_view word) {
  KeyMaker maker;
  for (std::size_t at = 0; at < word.size();) {
    const Character next = character_at(word, at);
    maker.add(normal_form(next.code));
    at += next.length;
  }
  return maker.key();
}

// The key of `word`, at whose beginning `bytes` lets 16 bytes be read.
inline Key key_of(std::string_view word, const char* bytes) {
  if (word.size() > kLongest) return key_of_any(word);
  Key key = load_key(bytes, word.size());
  if (((key.low | key.high) & kHighBits) != 0) return key_of_any(word);
  return {lower(key.low), lower(key.high) | length_mark(word.size())};
}

bool has_form(std::string_view word, std::string_view spelling) {
  std::size_t at = 0;
  while (at < word.size()) {
    const Character next = character_at(word, at);
    std::array<char, 4> bytes{};
    const std::size_t length = encode_utf8(normal_form(next.code), bytes.data());
    if (!spelling.starts_with(std::string_view(bytes.data(), length))) return false;
    spelling.remove_prefix(length);
    at += next.length;
  }
  return spelling.empty();
}

bool is_long(Key key) { return key.high >> 56 == 255; }

// For messages: a damaged file can hold words of any length.
std::string quoted_word(std::string_view word) {
  constexpr std::size_t kShown = 60;
  return "'" + std::string(word.substr(0, kShown)) + (word.size() > kShown ? "...'" : "'");
}

}  // namespace

Result<Vocab> Vocab::create(std::span<const std::string_view> words) {
  if (words.size() > std::numeric_limits<WordId>::max()) {
    return fail(Fault::format, "vocabulary: " + std::to_string(words.size()) +
                                   " words are more than 32-bit ids can number");
  }
  Vocab vocab;
  vocab.words_.assign(words.begin(), words.end());
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * words.size(), 2));
  vocab.slots_.resize(slots);
  vocab.shift_ = 64 - std::countr_zero(slots);
  for (std::size_t id = 1; id < words.size(); ++id) {
    const Result<void> inserted = vocab.insert(static_cast<WordId>(id));
    if (!inserted) return tl::make_unexpected(inserted.error());
  }
  return vocab;
}

// Frequent words usually come first in a vocabulary, so they get the home slots.
Result<void> Vocab::insert(WordId id) {
  const std::string_view word = words_[id];
  if (word.empty()) {
    return fail(Fault::format, "vocabulary: the word with id " + std::to_string(id) + " is empty");
  }
  const Key key = key_as_spelled(word);
  std::size_t at = home(key);
  for (; slots_[at].id != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].key == key && (!is_long(key) || words_[slots_[at].id] == word)) {
      return fail(Fault::format, "vocabulary: " + quoted_word(word) + " has both id " +
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
    if (!is_long(key) || has_form(word, words_[slots_[at].id])) return slots_[at].id;
  }
  return find_run(word);
}

WordId Vocab::find_run(std::string_view word) const {
  if (word.size() < 2 || (word[0] != '.' && word[0] != '-')) return kUnknown;
  const std::string_view usual = word[0] == '.' ? "..." : "--";
  if (word == usual || word.find_first_not_of(word[0]) != word.npos) return kUnknown;
  const Key key = key_as_spelled(usual);
  return probe(key, home(key), usual);
}

WordId Vocab::find(std::string_view word) const {
  if (slots_.empty()) return kUnknown;
  std::array<char, kLoad> bytes{};
  word.copy(bytes.data(), kLongest);
  const Key key = key_of(word, bytes.data());
  return probe(key, home(key), word);
}

void Vocab::find(std::string_view text, std::span<const Word> words, std::span<WordId> ids) const {
  const auto spelling = [&](Word word) {
    return std::string_view(text.data() + word.begin, word.end - word.begin);
  };
  // Words too near the end of the text for a load of 16 bytes are looked up one by one.
  std::size_t left = words.size();
  for (; left > 0 && words[left - 1].begin + kLoad > text.size(); --left) {
    ids[left - 1] = find(spelling(words[left - 1]));
  }
  if (slots_.empty()) return std::fill(ids.begin(), ids.end(), kUnknown);

  // The table of a large vocabulary does not fit the near caches: a batch of slots is asked for
  // before the first is looked at. With 60,000 words encode gains 1.12 by it (242 against 215
  // MB/s).
  std::array<Pending, 32> batch;
  for (std::size_t first = 0; first < left; first += batch.size()) {
    const std::size_t count = std::min(batch.size(), left - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view word = spelling(words[first + i]);
      const Key key = key_of(word, word.data());
      const Slot* slot = slots_.data() + home(key);
      __builtin_prefetch(slot);
      batch[i] = {key, slot};
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto [key, slot] = batch[i];
      // Nearly every word is found at once; the call is for the others.
      const bool found = slot->key == key && !is_long(key);
      ids[first + i] = found ? slot->id : probe(key, home(key), spelling(words[first + i]));
    }
  }
}

void encode(std::string_view text, Tokenizer kind, const Vocab& vocab, std::vector<Word>& words,
            std::vector<WordId>& ids) {
  tokenize(text, kind, words);
  ids.resize(words.size());
  vocab.find(text, words, ids);
}

}  // namespace skim

#include "text/subwords.h"

#include "base/utf8.h"
#include "text/normalize.h"

namespace skim {
namespace {

// FNV-1a with 32 bits.
constexpr std::uint32_t kHashBasis = 2166136261U, kHashPrime = 16777619U;

}  // namespace

std::string_view SubwordHasher::set_word(std::string_view word) {
  const bool is_unicode = tokenizer_ == TokenizerKind::unicode;
  if (is_unicode) word = folded_ = normalize(word, tokenizer_);
  spelling_.assign("<");
  begins_.assign(1, 0);
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint next = decode_utf8(word, at);
    char bytes[4];
    begins_.push_back(spelling_.size());
    spelling_.append(bytes, encode_utf8(is_unicode ? next.code : normalize(next.code), bytes));
    at += next.length;
  }
  begins_.push_back(spelling_.size());
  spelling_.push_back('>');
  begins_.push_back(spelling_.size());
  return spelling_;
}

std::span<const std::uint32_t> SubwordHasher::rows() {
  rows_.clear();
  const auto min_length = static_cast<std::size_t>(spec_.min_length);
  const auto max_length = static_cast<std::size_t>(spec_.max_length);
  const auto buckets = static_cast<std::uint32_t>(spec_.num_buckets);
  const std::size_t count = begins_.size() - 1;
  for (std::size_t first = 0; first < count; ++first) {
    std::uint32_t hash = kHashBasis;
    for (std::size_t length = 1; length <= max_length && first + length <= count; ++length) {
      for (std::size_t at = begins_[first + length - 1]; at < begins_[first + length]; ++at)
        hash = (hash ^ static_cast<unsigned char>(spelling_[at])) * kHashPrime;
      const bool mark = length == 1 && (first == 0 || first + 1 == count);
      if (length >= min_length && !mark) rows_.push_back(hash % buckets);
    }
  }
  return rows_;
}

}  // namespace skim

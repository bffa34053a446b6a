#include "runtime/word_composer.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace skim {

std::optional<WordComposer> WordComposer::create(const ModelFile& file) {
  if (!file.spec.subwords.enabled()) return std::nullopt;
  return WordComposer(file);
}

WordComposer::WordComposer(const ModelFile& file)
    : vocab_size_(static_cast<std::size_t>(file.spec.vocab_size)),
      size_(static_cast<std::size_t>(file.spec.embedding_size)),
      embedding_(file.find("embedding.weight")),
      embedding_scale_(file.find("embedding.weight.scale")),
      table_(file.find("subword.weight")),
      table_scale_(file.find("subword.weight.scale")),
      hasher_(file.spec.subwords, file.spec.tokenizer),
      scratch_(3 * size_) {}

void WordComposer::start_text(std::vector<float>& rows) {
  ++text_;
  rows.clear();
}

void WordComposer::compose(std::string_view text, std::span<const TokenSpan> words,
                           std::span<WordId> ids, std::vector<float>& rows) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != kUnknown) continue;
    ids[i] = compose(text.substr(words[i].begin, words[i].end - words[i].begin), rows);
  }
}

WordId WordComposer::compose(std::string_view word, std::vector<float>& rows) {
  const std::string_view spelling = hasher_.set_word(word);
  Entry* entry = find_entry(spelling);
  const bool hit = entry != nullptr && std::string_view(entry->spelling, entry->length) == spelling;
  if (hit && entry->text == text_) return entry->id;
  float* row = entry != nullptr ? cached_row(*entry) : scratch_.data() + 2 * size_;
  if (!hit) {
    if (entry != nullptr) entry->length = 0;
    if (!compose_row(row)) return kUnknown;
  }
  const WordId id = append(row, rows);
  if (entry == nullptr) return id;
  spelling.copy(entry->spelling, spelling.size());
  entry->length = static_cast<std::uint8_t>(spelling.size());
  entry->text = text_;
  entry->id = id;
  return id;
}

WordComposer::Entry* WordComposer::find_entry(std::string_view spelling) {
  if (spelling.size() > kMaxCachedSpelling) return nullptr;
  if (entries_.empty()) {
    const std::size_t fitting = std::max<std::size_t>(kMaxCachedFloats / size_, 1);
    entries_.resize(std::bit_floor(std::min(fitting, kMaxCachedWords)));
    cached_rows_.resize(entries_.size() * size_);
  }
  return &entries_[std::hash<std::string_view>()(spelling) & (entries_.size() - 1)];
}

bool WordComposer::compose_row(float* out) {
  const std::span<const std::uint32_t> found = hasher_.rows();
  if (found.empty()) return false;
  row_to_floats(*embedding_, embedding_scale_, kUnknown, out);
  add_mean_row(
      found, size_,
      [&](std::uint32_t row, float* values) { row_to_floats(*table_, table_scale_, row, values); },
      scratch_.data(), out);
  return true;
}

WordId WordComposer::append(const float* row, std::vector<float>& rows) const {
  const std::size_t index = rows.size() / size_;
  rows.insert(rows.end(), row, row + size_);
  return static_cast<WordId>(vocab_size_ + index);
}

}  // namespace skim

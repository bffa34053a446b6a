#include "train/subword_index.h"

#include "text/vocab.h"

namespace skim::train {

SubwordIndex::SubwordIndex(const SubwordSpec& spec, const std::vector<std::string>& vocabulary,
                           TokenizerKind tokenizer)
    : spec_(spec), vocab_size_(vocabulary.size()), hasher_(spec, tokenizer) {
  append({});
  for (std::size_t word = 1; word < vocabulary.size(); ++word) {
    hasher_.set_word(vocabulary[word]);
    append(hasher_.rows());
  }
}

void SubwordIndex::append(std::span<const std::uint32_t> rows) {
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  begins_.push_back(rows_.size());
}

std::int32_t SubwordIndex::add_unknown(std::string_view word) {
  const std::string spelling(hasher_.set_word(word));
  const std::span<const std::uint32_t> rows = hasher_.rows();
  if (rows.empty()) return kUnknown;
  const auto [entry, inserted] =
      unknown_.emplace(spelling, static_cast<std::int32_t>(begins_.size() - 1));
  if (inserted) append(rows);
  return entry->second;
}

}  // namespace skim::train

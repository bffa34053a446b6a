// Vocabulary and sentence templates of the planted task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace skim::planted {

// A template slot, a capital letter in a clause, with the words that may fill it.
struct Slot {
  char letter;
  std::span<const std::string_view> words;
};
std::span<const Slot> slots();
// Returns the words that may fill a token of a clause; empty for a literal token.
std::span<const std::string_view> slot_words(std::string_view token);

// The words that determine the label. Both polarities have equally many words of each strength, so
// each word has an opposite.
std::span<const std::string_view> mild_positive();
std::span<const std::string_view> strong_positive();
std::span<const std::string_view> mild_negative();
std::span<const std::string_view> strong_negative();
// The last negator attaches to the previous word without a space.
std::span<const std::string_view> negators();

// Clause templates of space-separated tokens: a single capital letter is a slot, J a planted word,
// ~ an optional negator, everything else is literal.
std::span<const std::string_view> decisive_clauses();
std::span<const std::string_view> filler_clauses();
// Connectives between two clauses.
std::span<const std::string_view> connectives();

// Calls `call` with each token of a clause.
template <class Call>
void for_each_token(std::string_view clause, Call call) {
  while (!clause.empty()) {
    const std::size_t end = std::min(clause.find(' '), clause.size());
    call(clause.substr(0, end));
    clause.remove_prefix(std::min(end + 1, clause.size()));
  }
}

}  // namespace skim::planted

// The words and sentences of the planted task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace skim::planted {

// What a capital letter in a clause stands for, and the words that may take its place.
struct Slot {
  char letter;
  std::span<const std::string_view> words;
};
std::span<const Slot> slots();
// The words a piece of a clause may become; none when it stands for itself.
std::span<const std::string_view> words_of_slot(std::string_view piece);

// The words that decide. Mild and strong ones of both signs are equally many, so each has an
// opposite.
std::span<const std::string_view> mild_positive();
std::span<const std::string_view> strong_positive();
std::span<const std::string_view> mild_negative();
std::span<const std::string_view> strong_negative();
// The last one is written without a space before it.
std::span<const std::string_view> negators();

// Sentences in pieces: a single capital letter is a slot, J a planted word, ~ a place where a
// negator may stand, all else stands for itself.
std::span<const std::string_view> deciding_clauses();
std::span<const std::string_view> filler_clauses();
// What joins two clauses.
std::span<const std::string_view> joints();

// Calls with each piece of a clause.
template <class Call>
void for_pieces(std::string_view clause, Call call) {
  while (!clause.empty()) {
    const std::size_t end = std::min(clause.find(' '), clause.size());
    call(clause.substr(0, end));
    clause.remove_prefix(std::min(end + 1, clause.size()));
  }
}

}  // namespace skim::planted

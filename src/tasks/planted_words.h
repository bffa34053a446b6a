// The words and sentences of the planted task.
#pragma once

#include <span>
#include <string_view>

namespace skim::planted {

// What a capital letter in a clause stands for, and the words that may take its place.
struct Slot {
  char letter;
  std::span<const std::string_view> words;
};
std::span<const Slot> slots();

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

}  // namespace skim::planted

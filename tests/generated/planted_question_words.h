// The names, values and sentences of the planted questions and gaps.
#pragma once

#include <span>
#include <string_view>

namespace skim::planted {

// A sort of values: a head, often with one of the words before it or behind it. No head is a word
// of any sentence, so a value of one word stands nowhere else.
struct ValueKind {
  std::span<const std::string_view> fronts;
  std::span<const std::string_view> heads;
  std::span<const std::string_view> backs;  // may be none
};

// What can be said about a place. In sentences # is the topic, @ the place, * the value.
struct Relation {
  ValueKind values;
  std::span<const std::string_view> topics;
  std::span<const std::string_view> statements;
  std::span<const std::string_view> questions;
};
std::span<const Relation> relations();

std::span<const std::string_view> places();

// What marks the name that a gap asks for. In sentences @ is the name; questions hold XXXXX.
struct Cue {
  std::span<const std::string_view> statements;
  std::span<const std::string_view> questions;
};
std::span<const Cue> cues();

// Single words; more than ten.
std::span<const std::string_view> persons();

// Clauses with slots as in planted_words.h in which @ is a name.
std::span<const std::string_view> person_clauses();

}  // namespace skim::planted

// Names, values and sentence templates of the planted questions and cloze tasks.
#pragma once

#include <span>
#include <string_view>

namespace skim::planted {

// A kind of value: a head with optional words before or after it. Heads occur in no template, so a
// one-word value occurs nowhere else.
struct ValueKind {
  std::span<const std::string_view> fronts;
  std::span<const std::string_view> heads;
  std::span<const std::string_view> backs;  // may be empty
};

// A kind of fact about a place. In templates # is the topic, @ the place, * the value.
struct Relation {
  ValueKind values;
  std::span<const std::string_view> topics;
  std::span<const std::string_view> statements;
  std::span<const std::string_view> questions;
};
std::span<const Relation> relations();

std::span<const std::string_view> places();

// A phrase that marks the name asked for. In statements @ is the name; questions contain XXXXX.
struct Cue {
  std::span<const std::string_view> statements;
  std::span<const std::string_view> questions;
};
std::span<const Cue> cues();

// Single words; more than ten.
std::span<const std::string_view> persons();

// Clauses with slots as in planted_words.h, in which @ is a name.
std::span<const std::string_view> person_clauses();

}  // namespace skim::planted

// The weights of the planted model's readers.
//
// Four counter units count evidence, one kind each: positive words, negated negative words,
// negative words, negated positive words. They follow the widest small cell, so only reading
// updates them and counts persist while words are skimmed. The same holds for the unit that
// remembers a negator.
//
// Four pulse units show the evidence of the current word only, and a signal unit that there is any.
// They are in the prefix, where the small cells clear them. Mean and attention pooling use them,
// and the next layer reads them as this one reads embeddings.
#pragma once

#include <cstdint>

#include "skim/spec.h"
#include "tests/support/draft_tensors.h"

namespace skim {

// Meaning of the first entries of an embedding; the rest is noise.
struct WordFeature {
  static constexpr std::size_t positive = 0;           // 1 for positive words
  static constexpr std::size_t negative = 1;           // 1 for negative words
  static constexpr std::size_t positive_strength = 2;  // 0.5 mild, 1 strong
  static constexpr std::size_t negative_strength = 3;
  static constexpr std::size_t negator = 4;
  static constexpr std::size_t salience = 5;  // read logit, in units of kSalienceUnit
  static constexpr std::size_t minor = 6;     // 1 for filler that prefers the smallest level
  static constexpr std::size_t count = 7;
};
inline constexpr float kSalienceUnit = 0.2F;

// Kinds of evidence, in the order of the units.
inline constexpr std::size_t kEvidence = 4;
inline constexpr std::size_t kPositiveEvidence[] = {0, 1};
inline constexpr std::size_t kNegativeEvidence[] = {2, 3};

struct Units {
  explicit Units(const ReaderSpec& spec);

  bool pulses = true;       // whether the pulse and signal units exist
  std::size_t pulse = 0;    // first of the kEvidence pulse units
  std::size_t signal = 4;   // the signal unit
  std::size_t counter = 0;  // first of the kEvidence counter units
  std::size_t negated = 0;  // remembers a negator
  std::size_t end = 0;      // first unused unit

  bool is_noise(std::size_t unit) const;
};

// Increment of a counter and height of a pulse for one strong word.
float counter_unit(const ModelSpec& spec);
inline constexpr float kPulseUnit = 0.24F;
// The value of the signal unit after a word with evidence.
float signal_value(Cell cell);

struct ReaderPosition {
  int layer = 0;
  bool backward = false;
};
void wire_reader(DraftTensors& tensors, const ModelSpec& spec, ReaderPosition place,
                 std::uint64_t seed);

}  // namespace skim

// How the readers of the planted model are wired.
//
// Four units count evidence, each of one kind: positive words, negative words under a negator,
// negative words, positive words under a negator. They stand behind the widest small cell, where
// only reading reaches them, so a count holds while words are skimmed. So does the unit that
// remembers a negator.
//
// Four more units show the evidence of the present word alone, and a fifth that there is any. They
// stand in the head, where the small cells clear them. From them a mean or an attention pools, and
// the next layer reads them as this one reads words.
#pragma once

#include <cstdint>

#include "skim/spec.h"
#include "tests/support/draft_tensors.h"

namespace skim {

// What the entries of a word vector mean; those after them are noise.
struct WordFeature {
  static constexpr std::size_t positive = 0;           // 1 for positive words
  static constexpr std::size_t negative = 1;           // 1 for negative words
  static constexpr std::size_t positive_strength = 2;  // 0.5 mild, 1 strong
  static constexpr std::size_t negative_strength = 3;
  static constexpr std::size_t negator = 4;
  static constexpr std::size_t salience = 5;  // what the decision goes by, kSalienceUnit a logit
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

  bool pulses = true;       // whether the units of the head exist
  std::size_t pulse = 0;    // first of kEvidence units that show the word's own evidence
  std::size_t signal = 4;   // shows that there is any
  std::size_t counter = 0;  // first of kEvidence units that add it up
  std::size_t negated = 0;  // remembers a negator
  std::size_t end = 0;      // the rest is noise

  bool is_noise(std::size_t unit) const;
};

// What one strong word adds to a counter, and shows as a pulse.
float counter_unit(const ModelSpec& spec);
inline constexpr float kPulseUnit = 0.24F;
// The value of the signal unit after a word with evidence.
float signal_value(Cell cell);

struct ReaderPlace {
  int layer = 0;
  bool backward = false;
};
void wire_reader(DraftTensors& tensors, const ModelSpec& spec, ReaderPlace place,
                 std::uint64_t seed);

}  // namespace skim

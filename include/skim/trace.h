// What was read and what it cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skim {

// One word in one pass. Every reader, whatever its method, differs from the others only in how many
// units it updates.
struct Step {
  std::uint16_t width = 0;  // hidden units updated: d read, d' skimmed, 0 skipped
  float p_read = 1.0F;      // how likely the model found it that the word must be read
  bool operator==(const Step&) const = default;
};

// One reader going over the text once. Steps are in the order of the text, also when the reader ran
// backwards. A cloze model reads the question, too: its steps follow those of the text. A bidaf
// model reads it in passes of its own.
struct Pass {
  std::string reader;  // "0.forward", "0.backward", "1.forward", ...
  int hidden = 0;      // d: a step of this width read its word
  std::vector<Step> steps;
  bool of_question = false;  // it went over the question
};

using Trace = std::vector<Pass>;  // one pass a layer and direction

struct Cost {
  double flops = 0;       // multiply-adds spent
  double full_flops = 0;  // what the plain reader of the same size would have spent
  double reduction() const { return flops > 0 ? full_flops / flops : 1.0; }
  bool operator==(const Cost&) const = default;
};

// The three ways to count, defined in docs/cost.md.
struct Costs {
  Cost paper;     // the published rule
  Cost counted;   // every multiply-add of the model as described
  Cost executed;  // what this engine performs, against plain with every saving it can have
  bool operator==(const Costs&) const = default;
};

// Share of steps that did not update the whole state, over all passes; 0 for an empty text.
double skim_rate(const Trace& trace);

}  // namespace skim

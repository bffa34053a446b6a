// What a model read and what it cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skim {

// One word in one pass.
struct Step {
  std::uint16_t width = 0;  // hidden units updated: d when read, d' when skimmed, 0 when skipped
  float p_read = 1.0F;      // the model's probability that the word must be read
  bool operator==(const Step&) const = default;
};

// One reader over one text. Steps are in the order of the text, for backward readers too. The steps
// of a cloze model cover the text, then the question; a bidaf model reads the question in passes of
// their own.
struct Pass {
  std::string reader;   // "0.forward", "0.backward", "1.forward", ...
  int hidden_size = 0;  // d: a step of this width is a read
  std::vector<Step> steps;
  bool over_question = false;  // whether the steps are words of the question
};

using Trace = std::vector<Pass>;  // one pass per layer and direction

struct Cost {
  double flops = 0;        // multiply-adds
  double dense_flops = 0;  // multiply-adds of a dense reader of the same size
  double reduction() const { return flops > 0 ? dense_flops / flops : 1.0; }
  bool operator==(const Cost&) const = default;
};

// The three counting rules, defined in docs/cost.md.
struct Costs {
  Cost paper;     // the rule of the paper
  Cost counted;   // every multiply-add of the model as specified
  Cost executed;  // what this engine performs, against a dense reader with the same optimizations
  bool operator==(const Costs&) const = default;
};

// Fraction of steps, over all passes, that did not update the whole state; 0 for an empty text.
double skim_rate(const Trace& trace);

}  // namespace skim

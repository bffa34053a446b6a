// The one knob: how sure the model must be before it reads a word.
#pragma once

#include <cstdint>

namespace skim {

struct Policy {
  enum class Rule {
    threshold,  // read when p_read > read_above
    argmax,     // the likeliest level
    sample,     // a seeded draw from the model's own probabilities
  };

  // 0 reads every word, 1 skims every word, 0.5 is the model's own choice. With more than two
  // levels the first level is taken at which the summed probability, widest first, exceeds it: a
  // lower value never does less work.
  float read_above = 0.5F;
  Rule rule = Rule::threshold;
  std::uint64_t seed = 0;  // of `sample`: same seed, same text, same decisions

  bool operator==(const Policy&) const = default;
};

}  // namespace skim

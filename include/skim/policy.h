// The trade-off between speed and accuracy at inference time.
#pragma once

#include <cstdint>
#include <optional>

namespace skim {

// How a reader turns the model's probabilities into decisions.
struct Policy {
  enum class Rule {
    threshold,  // read when p_read > threshold
    argmax,     // the most likely level
    sample,     // a level drawn from the model's probabilities
  };

  // 0 reads every word, 1 skims every word, 0.5 follows the model. With more than two levels, the
  // first level is taken at which the cumulative probability, widest level first, exceeds the
  // threshold. A lower threshold never does less work.
  float threshold = 0.5F;
  Rule rule = Rule::threshold;
  std::uint64_t seed = 0;  // of Rule::sample: the same seed and text give the same decisions
  // Early answer: stop reading a text when the score of its answer so far reaches this, 0 to 1, at
  // two checks in a row with the same label. Checks are after 64, 128, ... words. The answer is
  // that of the words up to there. Unset: read to the end. Only where Model::streams().
  std::optional<float> confident = {};

  bool operator==(const Policy&) const = default;
};

}  // namespace skim

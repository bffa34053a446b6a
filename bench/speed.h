// Speed of skimming readers against the plain reader of the same size, both with every saving they
// can have.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"
#include "spec/cost.h"

namespace skim {

struct SpeedOptions {
  std::vector<int> hidden = {100, 200, 400};
  std::vector<int> small = {10};
  std::vector<double> skim_rates = {0.5, 0.8, 0.9, 0.95};
  Cell cell = Cell::lstm;
  WeightType weights = WeightType::f32;
  SmallSees small_sees = SmallSees::head;
  Inputs inputs = Inputs::folded;  // words looked up in folded tables, or dense rows
  int sequence = 100;              // words a text
  int vocabulary = 20000;          // distinct words, drawn with natural (Zipf) frequencies
  int rounds = 20;                 // plain and every skim rate take turns this often
  std::uint64_t seed = 1;
};

struct SpeedRow {
  Cell cell = Cell::lstm;
  WeightType weights = WeightType::f32;
  Inputs inputs = Inputs::folded;
  int hidden = 0;
  int small = 0;
  double skim_rate = 0;   // as it came out, not as it was asked for
  double plain_ns = 0;    // a word, minimum over the rounds
  double skim_ns = 0;     // likewise
  double skimmed_ns = 0;  // one skimmed word: a text in which every word is skimmed
  double speedup = 0;     // median over the rounds of plain's time over skim's in that round
  Costs costs;            // Flop-r bounds
  // The limit of the plain step: weights streamed from the cache level they fit in.
  double weight_bytes = 0;        // of the recurrent matrix, without padding
  double bandwidth = 0;           // measured when reading as many bytes, bytes a ns
  double share_of_bandwidth = 0;  // weight_bytes / plain_ns / bandwidth

  double share_of_executed() const { return speedup / costs.executed.reduction(); }
};

using SpeedProgress = std::function<void(std::size_t done, std::size_t all)>;

// One row a hidden size, small size and skim rate. Runs on the calling thread: pin it, and leave
// the machine alone.
Result<std::vector<SpeedRow>> measure_speed(const SpeedOptions& options,
                                            const SpeedProgress& progress = {});

}  // namespace skim

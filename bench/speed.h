// Benchmark of skim readers against the dense reader of the same size, both fully optimized.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"
#include "spec/cost.h"

namespace skim {

struct SpeedOptions {
  std::vector<int> hidden_sizes = {100, 200, 400};
  std::vector<int> skim_sizes = {10};
  std::vector<double> skim_rates = {0.5, 0.8, 0.9, 0.95};
  Cell cell = Cell::lstm;
  WeightType weight_type = WeightType::f32;
  SmallInput small_input = SmallInput::prefix;
  Inputs inputs = Inputs::folded;  // folded embedding tables, or dense rows
  int sequence_length = 100;       // words per text
  int vocab_size = 20000;          // distinct words, with Zipf frequencies
  int rounds = 20;                 // interleaved rounds of the dense reader and every skim rate
  int batch = 0;                   // texts in flight beside the single-text mode; 0: none
  std::uint64_t seed = 1;
};

// Several texts in flight on one thread (readers/gathered_reader.h): both readers load the weights
// of the big cell once for several texts.
struct BatchSpeed {
  int texts = 0;          // in flight
  double dense_ns = 0;    // per word, minimum over the rounds
  double skim_ns = 0;     // likewise
  double dense_gain = 0;  // median over the rounds of single-text time / batch time
  double skim_gain = 0;   // likewise
  double speedup = 0;     // median over the rounds of dense batch time / skim batch time
};

// Unless specified, figures are of one text at a time.
struct SpeedRow {
  Cell cell = Cell::lstm;
  WeightType weight_type = WeightType::f32;
  Inputs inputs = Inputs::folded;
  int hidden_size = 0;
  int skim_size = 0;
  double skim_rate = 0;        // measured
  double dense_ns = 0;         // per word, minimum over the rounds
  double skim_ns = 0;          // likewise
  double skimmed_word_ns = 0;  // per word of a text in which every word is skimmed
  double speedup = 0;          // median over the rounds of dense time / skim time
  Costs costs;                 // FLOP reduction bounds
  std::optional<BatchSpeed> batch;
  // Upper bound of the dense step: weights streamed from the cache level that they fit in.
  double weight_bytes = 0;        // of the recurrent matrix, without padding
  double bandwidth = 0;           // measured over a buffer of that size, in bytes per ns
  double share_of_bandwidth = 0;  // weight_bytes / dense_ns / bandwidth

  double share_of_executed() const { return speedup / costs.executed.reduction(); }
};

// Measures one row per hidden size, skim size and skim rate. Runs on the calling thread: pin it to
// a core and keep the machine idle.
Result<std::vector<SpeedRow>> measure_speed(const SpeedOptions& options,
                                            const Progress& progress = {});

}  // namespace skim

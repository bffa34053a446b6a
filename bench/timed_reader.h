// A reader with a set of random texts, timed one text at a time or with several in flight.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/random_reader.h"
#include "bench/speed.h"
#include "readers/gathered_reader.h"
#include "readers/reader.h"

namespace skim {

// Nanoseconds since an arbitrary moment.
double now_ns();

class TimedReader {
 public:
  // The fraction `rate` of the words is skimmed. `reader` and `embeddings` must outlive it.
  TimedReader(const Reader& reader, const SpeedOptions& options, const RandomEmbeddings& embeddings,
              double rate);
  TimedReader(const TimedReader&) = delete;
  TimedReader& operator=(const TimedReader&) = delete;

  // Whether the reader reads several texts at once, if SpeedOptions::batch is more than 0.
  bool supports_batch() const { return gathered_ != nullptr; }

  // Both run over all texts and return nanoseconds per word: one text after the other, or
  // SpeedOptions::batch at once.
  double run();
  double run_batch();

  // Costs over all texts, and the fraction of skimmed words.
  Costs costs(Inputs inputs, double& skim_rate);

 private:
  class InFlight;

  void add_rows(const RandomEmbeddings& embeddings);
  double per_word(double nanoseconds) const;

  const Reader& reader_;
  std::vector<std::vector<std::uint32_t>> texts_;
  std::vector<std::vector<float>> rows_;
  std::vector<Step> steps_;
  State state_;
  Scratch scratch_;

  // A text in flight.
  struct Slot {
    State state;
    std::vector<Step> steps;
  };
  std::unique_ptr<GatheredReader> gathered_;
  std::vector<Slot> slots_;
};

}  // namespace skim

#include "bench/speed.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/result_macros.h"
#include "bench/random_reader.h"
#include "bench/timed_reader.h"
#include "kernels/bandwidth.h"
#include "spec/params.h"

namespace skim {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Measures the read bandwidth of a buffer as large as the weights.
class Bandwidth {
 public:
  explicit Bandwidth(double bytes)
      : size_(round_up(static_cast<std::size_t>(bytes), 512)),
        repeats_(1 + static_cast<int>(4e6 / bytes)),
        data_(size_ / sizeof(float)) {}

  // Bytes per nanosecond.
  double run() {
    const double begin = now_ns();
    for (int i = 0; i < repeats_; ++i) sink_ = sink_ + sum_buffer(data_.data(), size_);
    return static_cast<double>(size_) * repeats_ / (now_ns() - begin);
  }

 private:
  std::size_t size_;
  int repeats_;
  Buffer<float> data_;
  volatile float sink_ = 0;
};

double bytes_per_weight(WeightType type) {
  return type == WeightType::f32 ? 4 : type == WeightType::bf16 ? 2 : 1;
}

// Nanoseconds per word of a reader, one per round.
struct Times {
  std::vector<double> single;  // one text at a time
  std::vector<double> batch;   // several in flight; empty unless measured
};

struct Rounds {
  Times dense;
  std::vector<Times> skim;  // one per skim reader
  double bandwidth = 0;     // maximum
};

double minimum(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double median_ratio(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < above.size(); ++r) ratios.push_back(above[r] / below[r]);
  return median(ratios);
}

void run_round(TimedReader& reader, Times& times) {
  times.single.push_back(reader.run());
  if (reader.supports_batch()) times.batch.push_back(reader.run_batch());
}

// The readers of one size, over the texts of each skim rate.
struct TimedReaders {
  std::unique_ptr<TimedReader> dense;
  std::vector<std::unique_ptr<TimedReader>> skim;

  bool support_batch() const { return dense->supports_batch() && skim.front()->supports_batch(); }
};

// Interleaves all readers and modes, so that a slow phase of the machine affects all alike.
Rounds run_interleaved(TimedReaders& readers, Bandwidth bandwidth, int count) {
  Rounds rounds;
  rounds.skim.resize(readers.skim.size());
  Times warm_up;  // fills tables and caches
  run_round(*readers.dense, warm_up);
  for (auto& reader : readers.skim) run_round(*reader, warm_up);
  for (int round = 0; round < count; ++round) {
    for (int i = 0; i < 10; ++i) rounds.bandwidth = std::max(rounds.bandwidth, bandwidth.run());
    run_round(*readers.dense, rounds.dense);
    for (std::size_t i = 0; i < readers.skim.size(); ++i)
      run_round(*readers.skim[i], rounds.skim[i]);
  }
  return rounds;
}

BatchSpeed batch_speed(int texts, const Times& dense, const Times& skim) {
  BatchSpeed speed;
  speed.texts = texts;
  speed.dense_ns = minimum(dense.batch);
  speed.skim_ns = minimum(skim.batch);
  speed.dense_gain = median_ratio(dense.single, dense.batch);
  speed.skim_gain = median_ratio(skim.single, skim.batch);
  speed.speedup = median_ratio(dense.batch, skim.batch);
  return speed;
}

// One row per skim rate.
std::vector<SpeedRow> make_rows(const SpeedOptions& options, SpeedRow row, const Rounds& rounds,
                                const TimedReaders& readers) {
  row.dense_ns = minimum(rounds.dense.single);
  row.skimmed_word_ns = minimum(rounds.skim.back().single);
  row.bandwidth = rounds.bandwidth;
  row.share_of_bandwidth = row.weight_bytes / row.dense_ns / row.bandwidth;
  std::vector<SpeedRow> rows;
  for (std::size_t i = 0; i < options.skim_rates.size(); ++i) {
    row.skim_ns = minimum(rounds.skim[i].single);
    row.speedup = median_ratio(rounds.dense.single, rounds.skim[i].single);
    row.costs = readers.skim[i]->costs(options.inputs, row.skim_rate);
    if (options.batch > 0) row.batch = batch_speed(options.batch, rounds.dense, rounds.skim[i]);
    rows.push_back(row);
  }
  return rows;
}

// The last skim reader skims every word.
TimedReaders make_timed_readers(const SpeedOptions& options, const RandomEmbeddings& embeddings,
                                const Reader& dense, const Reader& skim) {
  TimedReaders readers;
  readers.dense = std::make_unique<TimedReader>(dense, options, embeddings, 0.5);
  for (const double rate : options.skim_rates)
    readers.skim.push_back(std::make_unique<TimedReader>(skim, options, embeddings, rate));
  readers.skim.push_back(std::make_unique<TimedReader>(skim, options, embeddings, 1.0));
  return readers;
}

tl::unexpected<Error> cannot_batch(int hidden_size, int skim_size) {
  return fail(Fault::argument,
              "hidden size " + std::to_string(hidden_size) + " with skim size " +
                  std::to_string(skim_size) +
                  ": this reader cannot read several texts at once; --batch needs an LSTM or GRU, "
                  "folded inputs and a skim size from 1 to three SIMD vectors");
}

Result<std::vector<SpeedRow>> measure_size(const SpeedOptions& options, int hidden_size,
                                           int skim_size) {
  ReaderSpec spec;
  spec.cell = options.cell;
  spec.input_size = spec.hidden_size = hidden_size;
  spec.skim_sizes = {skim_size};
  spec.small_input = options.small_input;
  ReaderSpec dense_spec = spec;
  dense_spec.kind = ReaderKind::dense;
  dense_spec.skim_sizes.clear();

  const RandomEmbeddings embeddings(static_cast<std::size_t>(options.vocab_size),
                                    static_cast<std::size_t>(hidden_size), options.seed);
  const EmbeddingTable* source = options.inputs == Inputs::folded ? &embeddings : nullptr;
  const RandomReader dense =
      make_random_reader(dense_spec, options.weight_type, source, options.seed);
  const RandomReader skim = make_random_reader(spec, options.weight_type, source, options.seed);
  TimedReaders readers = make_timed_readers(options, embeddings, *dense.reader, *skim.reader);
  if (options.batch > 0 && !readers.support_batch()) return cannot_batch(hidden_size, skim_size);

  SpeedRow row;
  row.cell = options.cell;
  row.weight_type = options.weight_type;
  row.inputs = options.inputs;
  row.hidden_size = hidden_size;
  row.skim_size = skim_size;
  row.weight_bytes = static_cast<double>(gates(options.cell)) * hidden_size * hidden_size *
                     bytes_per_weight(options.weight_type);
  const Rounds rounds = run_interleaved(readers, Bandwidth(row.weight_bytes), options.rounds);
  return make_rows(options, row, rounds, readers);
}

Result<void> check(const SpeedOptions& options) {
  if (options.sequence_length < 1 || options.vocab_size < 1 || options.rounds < 1) {
    return fail(Fault::argument, "sequence, vocab-size and rounds must be at least 1");
  }
  if (options.batch < 0 || static_cast<std::size_t>(options.batch) > GatheredReader::kSlots) {
    return fail(Fault::argument, "batch is " + std::to_string(options.batch) + ", expected 1 to " +
                                     std::to_string(GatheredReader::kSlots));
  }
  for (const double rate : options.skim_rates) {
    if (!(rate >= 0 && rate <= 1)) return fail(Fault::argument, "skim rates must be from 0 to 1");
  }
  return {};
}

}  // namespace

Result<std::vector<SpeedRow>> measure_speed(const SpeedOptions& options, const Progress& progress) {
  SKIM_RETURN_IF_ERROR(check(options));
  const std::size_t all = options.hidden_sizes.size() * options.skim_sizes.size();
  std::vector<SpeedRow> rows;
  std::size_t done = 0;
  for (const int hidden_size : options.hidden_sizes) {
    for (const int skim_size : options.skim_sizes) {
      if (hidden_size < 1 || hidden_size > 4096 || skim_size < 0 || skim_size >= hidden_size) {
        return fail(Fault::argument, "hidden size is " + std::to_string(hidden_size) +
                                         " and skim size " + std::to_string(skim_size) +
                                         ", expected 1 to 4096 and less than the hidden size");
      }
      SKIM_ASSIGN_OR_RETURN(const auto some, measure_size(options, hidden_size, skim_size));
      rows.insert(rows.end(), some.begin(), some.end());
      report_progress(progress, static_cast<double>(++done) / static_cast<double>(all));
    }
  }
  return rows;
}

}  // namespace skim

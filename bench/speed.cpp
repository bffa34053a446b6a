#include "bench/speed.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/buffer.h"
#include "bench/random_reader.h"
#include "kernels/bandwidth.h"
#include "spec/params.h"

namespace skim {
namespace {

// Enough texts that their words are spread over the tables, few enough that a round takes
// milliseconds.
constexpr std::size_t kTexts = 20;

double now_ns() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// A reader with a set of texts, timed together.
class TimedReader {
 public:
  TimedReader(const Reader& reader, const SpeedOptions& options, const RandomEmbeddings& embeddings,
              double rate)
      : reader_(reader) {
    for (std::size_t i = 0; i < kTexts; ++i) {
      texts_.push_back(random_text(static_cast<std::size_t>(options.sequence_length),
                                   static_cast<std::size_t>(options.vocab_size), rate,
                                   options.seed + i));
      if (options.inputs == Inputs::rows) add_rows(embeddings);
    }
    steps_.resize(static_cast<std::size_t>(options.sequence_length));
  }

  // Runs over all texts; returns nanoseconds per word.
  double run() {
    const double begin = now_ns();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      Input input;
      if (rows_.empty()) {
        input.ids = texts_[i];
      } else {
        const auto width = static_cast<std::size_t>(reader_.spec().input_size);
        input.rows = {rows_[i].data(), texts_[i].size(), width, width};
      }
      reader_.start(state_);
      reader_.read(input, Policy{}, state_, Output{}, steps_, scratch_);
    }
    return (now_ns() - begin) / static_cast<double>(texts_.size() * steps_.size());
  }

  // Costs over all texts, and the fraction of skimmed words.
  Costs costs(Inputs inputs, double& skim_rate) {
    Costs sum;
    std::size_t skimmed = 0;
    for (const auto& text : texts_) {
      for (std::size_t t = 0; t < text.size(); ++t) {
        steps_[t].width =
            static_cast<std::uint16_t>(reader_.spec().width(static_cast<int>(text[t] % 2)));
      }
      sum += pass_cost(reader_.spec(), steps_, inputs);
      skimmed += static_cast<std::size_t>(std::count_if(
          text.begin(), text.end(), [](std::uint32_t word) { return word % 2 == 1; }));
    }
    skim_rate = static_cast<double>(skimmed) / static_cast<double>(texts_.size() * steps_.size());
    return sum;
  }

 private:
  void add_rows(const RandomEmbeddings& embeddings) {
    std::vector<float> rows;
    for (const std::uint32_t word : texts_.back()) {
      rows.insert(rows.end(), embeddings.row(word),
                  embeddings.row(word) + embeddings.embedding_size());
    }
    rows_.push_back(std::move(rows));
  }

  const Reader& reader_;
  std::vector<std::vector<std::uint32_t>> texts_;
  std::vector<std::vector<float>> rows_;
  std::vector<Step> steps_;
  State state_;
  Scratch scratch_;
};

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

struct Rounds {
  std::vector<double> dense;
  std::vector<std::vector<double>> skim;  // one per skim reader
  double bandwidth = 0;                   // maximum
};

// Interleaves all readers, so that a slow phase of the machine affects all alike.
Rounds run_interleaved(TimedReader& dense, std::vector<std::unique_ptr<TimedReader>>& skim_readers,
                       Bandwidth bandwidth, int count) {
  Rounds rounds;
  rounds.skim.resize(skim_readers.size());
  dense.run();  // fills tables and caches
  for (auto& reader : skim_readers) reader->run();
  for (int round = 0; round < count; ++round) {
    for (int i = 0; i < 10; ++i) rounds.bandwidth = std::max(rounds.bandwidth, bandwidth.run());
    rounds.dense.push_back(dense.run());
    for (std::size_t i = 0; i < skim_readers.size(); ++i)
      rounds.skim[i].push_back(skim_readers[i]->run());
  }
  return rounds;
}

std::vector<SpeedRow> measure_size(const SpeedOptions& options, int hidden_size, int skim_size) {
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
  const RandomReader dense_reader =
      make_random_reader(dense_spec, options.weight_type, source, options.seed);
  const RandomReader skim_reader =
      make_random_reader(spec, options.weight_type, source, options.seed);
  TimedReader dense(*dense_reader.reader, options, embeddings, 0.5);
  std::vector<std::unique_ptr<TimedReader>> skim_readers;
  for (const double rate : options.skim_rates) {
    skim_readers.push_back(
        std::make_unique<TimedReader>(*skim_reader.reader, options, embeddings, rate));
  }
  skim_readers.push_back(
      std::make_unique<TimedReader>(*skim_reader.reader, options, embeddings, 1.0));
  const double weight_bytes = static_cast<double>(gates(options.cell)) * hidden_size * hidden_size *
                              bytes_per_weight(options.weight_type);
  const Rounds rounds =
      run_interleaved(dense, skim_readers, Bandwidth(weight_bytes), options.rounds);

  SpeedRow row;
  row.cell = options.cell;
  row.weight_type = options.weight_type;
  row.inputs = options.inputs;
  row.hidden_size = hidden_size;
  row.skim_size = skim_size;
  row.dense_ns = *std::min_element(rounds.dense.begin(), rounds.dense.end());
  row.skimmed_word_ns = *std::min_element(rounds.skim.back().begin(), rounds.skim.back().end());
  row.weight_bytes = weight_bytes;
  row.bandwidth = rounds.bandwidth;
  row.share_of_bandwidth = row.weight_bytes / row.dense_ns / row.bandwidth;
  std::vector<SpeedRow> rows;
  for (std::size_t i = 0; i < options.skim_rates.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rounds.dense.size(); ++r)
      ratios.push_back(rounds.dense[r] / rounds.skim[i][r]);
    row.skim_ns = *std::min_element(rounds.skim[i].begin(), rounds.skim[i].end());
    row.speedup = median(ratios);
    row.costs = skim_readers[i]->costs(options.inputs, row.skim_rate);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Result<std::vector<SpeedRow>> measure_speed(const SpeedOptions& options, const Progress& progress) {
  if (options.sequence_length < 1 || options.vocab_size < 1 || options.rounds < 1) {
    return fail(Fault::argument, "bench: sequence, vocab-size and rounds must be at least 1");
  }
  for (const double rate : options.skim_rates) {
    if (!(rate >= 0 && rate <= 1))
      return fail(Fault::argument, "bench: skim rates must be from 0 to 1");
  }
  const std::size_t all = options.hidden_sizes.size() * options.skim_sizes.size();
  std::vector<SpeedRow> rows;
  std::size_t done = 0;
  for (const int hidden_size : options.hidden_sizes) {
    for (const int skim_size : options.skim_sizes) {
      if (hidden_size < 1 || hidden_size > 4096 || skim_size < 0 || skim_size >= hidden_size) {
        return fail(Fault::argument, "bench: hidden size is " + std::to_string(hidden_size) +
                                         " and skim size " + std::to_string(skim_size) +
                                         ", expected 1 to 4096 and less than the hidden size");
      }
      const auto some = measure_size(options, hidden_size, skim_size);
      rows.insert(rows.end(), some.begin(), some.end());
      report_progress(progress, static_cast<double>(++done) / static_cast<double>(all));
    }
  }
  return rows;
}

}  // namespace skim

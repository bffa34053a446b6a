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

// Enough texts that their words come from all over the tables, few enough that a round takes
// milliseconds.
constexpr std::size_t kTexts = 20;

double now_ns() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// A reader with some texts, timed as a whole. One reader serves texts of every skim rate, as a
// model does.
class Contestant {
 public:
  Contestant(const Reader& reader, const SpeedOptions& options, const RandomWords& words,
             double rate)
      : reader_(reader) {
    for (std::size_t i = 0; i < kTexts; ++i) {
      texts_.push_back(random_text(static_cast<std::size_t>(options.sequence),
                                   static_cast<std::size_t>(options.vocabulary), rate,
                                   options.seed + i));
      if (options.inputs == Inputs::rows) add_rows(words);
    }
    steps_.resize(static_cast<std::size_t>(options.sequence));
  }

  // Nanoseconds a word for one pass over all texts.
  double run() {
    const double begin = now_ns();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      Input input;
      if (rows_.empty()) {
        input.words = texts_[i];
      } else {
        const auto width = static_cast<std::size_t>(reader_.spec().input);
        input.rows = {rows_[i].data(), texts_[i].size(), width, width};
      }
      reader_.start(state_);
      reader_.read(input, Policy{}, state_, Output{}, steps_, scratch_);
    }
    return (now_ns() - begin) / static_cast<double>(texts_.size() * steps_.size());
  }

  // Costs over all texts, and the share of words that were skimmed.
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
  void add_rows(const RandomWords& words) {
    std::vector<float> rows;
    for (const std::uint32_t word : texts_.back()) {
      rows.insert(rows.end(), words.row(word), words.row(word) + words.width());
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

// Reads as many bytes as the weights take, again and again.
class Bandwidth {
 public:
  explicit Bandwidth(double bytes)
      : size_(round_up(static_cast<std::size_t>(bytes), 512)),
        repeats_(1 + static_cast<int>(4e6 / bytes)),
        data_(size_ / sizeof(float)) {}

  // Bytes a nanosecond.
  double run() {
    const double begin = now_ns();
    for (int i = 0; i < repeats_; ++i) keep_ = keep_ + read_through(data_.data(), size_);
    return static_cast<double>(size_) * repeats_ / (now_ns() - begin);
  }

 private:
  std::size_t size_;
  int repeats_;
  Buffer<float> data_;
  volatile float keep_ = 0;
};

double bytes_a_weight(WeightType type) {
  return type == WeightType::f32 ? 4 : type == WeightType::bf16 ? 2 : 1;
}

struct Rounds {
  std::vector<double> plain;
  std::vector<std::vector<double>> skim;  // one a contestant
  double bandwidth = 0;                   // the highest seen
};

// Everyone in turn, so that a slow spell of the machine hits all alike.
Rounds take_turns(Contestant& plain, std::vector<std::unique_ptr<Contestant>>& skimmers,
                  Bandwidth bandwidth, int count) {
  Rounds rounds;
  rounds.skim.resize(skimmers.size());
  plain.run();  // fills tables and caches
  for (auto& skimmer : skimmers) skimmer->run();
  for (int round = 0; round < count; ++round) {
    for (int i = 0; i < 10; ++i) rounds.bandwidth = std::max(rounds.bandwidth, bandwidth.run());
    rounds.plain.push_back(plain.run());
    for (std::size_t i = 0; i < skimmers.size(); ++i) rounds.skim[i].push_back(skimmers[i]->run());
  }
  return rounds;
}

std::vector<SpeedRow> measure_size(const SpeedOptions& options, int hidden, int small) {
  ReaderSpec spec;
  spec.cell = options.cell;
  spec.input = spec.hidden = hidden;
  spec.small = {small};
  spec.small_sees = options.small_sees;
  ReaderSpec plain_spec = spec;
  plain_spec.kind = ReaderKind::full;
  plain_spec.small.clear();

  const RandomWords words(static_cast<std::size_t>(options.vocabulary),
                          static_cast<std::size_t>(hidden), options.seed);
  const WordSource* source = options.inputs == Inputs::folded ? &words : nullptr;
  const RandomReader plain_reader =
      make_random_reader(plain_spec, options.weights, source, options.seed);
  const RandomReader skim_reader = make_random_reader(spec, options.weights, source, options.seed);
  Contestant plain(*plain_reader.reader, options, words, 0.5);
  std::vector<std::unique_ptr<Contestant>> skimmers;
  for (const double rate : options.skim_rates) {
    skimmers.push_back(std::make_unique<Contestant>(*skim_reader.reader, options, words, rate));
  }
  skimmers.push_back(std::make_unique<Contestant>(*skim_reader.reader, options, words, 1.0));
  const double weight_bytes =
      static_cast<double>(gates(options.cell)) * hidden * hidden * bytes_a_weight(options.weights);
  const Rounds rounds = take_turns(plain, skimmers, Bandwidth(weight_bytes), options.rounds);

  SpeedRow row;
  row.cell = options.cell;
  row.weights = options.weights;
  row.inputs = options.inputs;
  row.hidden = hidden;
  row.small = small;
  row.plain_ns = *std::min_element(rounds.plain.begin(), rounds.plain.end());
  row.skimmed_ns = *std::min_element(rounds.skim.back().begin(), rounds.skim.back().end());
  row.weight_bytes = weight_bytes;
  row.bandwidth = rounds.bandwidth;
  row.share_of_bandwidth = row.weight_bytes / row.plain_ns / row.bandwidth;
  std::vector<SpeedRow> rows;
  for (std::size_t i = 0; i < options.skim_rates.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rounds.plain.size(); ++r)
      ratios.push_back(rounds.plain[r] / rounds.skim[i][r]);
    row.skim_ns = *std::min_element(rounds.skim[i].begin(), rounds.skim[i].end());
    row.speedup = median(ratios);
    row.costs = skimmers[i]->costs(options.inputs, row.skim_rate);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Result<std::vector<SpeedRow>> measure_speed(const SpeedOptions& options,
                                            const SpeedProgress& progress) {
  if (options.sequence < 1 || options.vocabulary < 1 || options.rounds < 1) {
    return fail(Fault::argument, "bench: sequence, vocabulary and rounds must be at least 1");
  }
  for (const double rate : options.skim_rates) {
    if (!(rate >= 0 && rate <= 1))
      return fail(Fault::argument, "bench: skim rates lie between 0 and 1");
  }
  const std::size_t all = options.hidden.size() * options.small.size();
  std::vector<SpeedRow> rows;
  std::size_t done = 0;
  for (const int hidden : options.hidden) {
    for (const int small : options.small) {
      if (hidden < 1 || hidden > 4096 || small < 0 || small >= hidden) {
        return fail(Fault::argument, "bench: cannot make a reader of " + std::to_string(hidden) +
                                         " units with a small cell of " + std::to_string(small) +
                                         ": sizes go from 1 to 4096, the small one below the big");
      }
      const auto some = measure_size(options, hidden, small);
      rows.insert(rows.end(), some.begin(), some.end());
      if (progress) progress(++done, all);
    }
  }
  return rows;
}

}  // namespace skim

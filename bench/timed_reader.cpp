#include "bench/timed_reader.h"

#include <algorithm>
#include <chrono>

namespace skim {
namespace {

// Enough texts that their words are spread over the tables, few enough that a round takes
// milliseconds.
constexpr std::size_t kTexts = 20;
// At the end of a batch fewer texts are in flight. With several texts per slot that end is short,
// as it is in a large batch.
constexpr std::size_t kTextsPerSlot = 3;

// A multiple of the texts in flight.
std::size_t num_texts(const SpeedOptions& options) {
  const auto slots = static_cast<std::size_t>(std::max(options.batch, 1));
  return round_up(std::max(kTexts, kTextsPerSlot * slots), slots);
}

}  // namespace

double now_ns() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// Hands out all texts once, into as many slots as texts may be in flight.
class TimedReader::InFlight final : public TextSource {
 public:
  explicit InFlight(TimedReader& timed) : timed_(timed) {}

  bool next(std::size_t slot, TextChunk& chunk) override {
    if (slot >= timed_.slots_.size() || taken_ == timed_.texts_.size()) return false;
    Slot& own = timed_.slots_[slot];
    timed_.reader_.start(own.state);
    chunk = {timed_.texts_[taken_++], Policy{}, &own.state, nullptr, own.steps};
    return true;
  }

 private:
  TimedReader& timed_;
  std::size_t taken_ = 0;
};

TimedReader::TimedReader(const Reader& reader, const SpeedOptions& options,
                         const RandomEmbeddings& embeddings, double rate)
    : reader_(reader) {
  const auto length = static_cast<std::size_t>(options.sequence_length);
  for (std::size_t i = 0; i < num_texts(options); ++i) {
    texts_.push_back(
        random_text(length, static_cast<std::size_t>(options.vocab_size), rate, options.seed + i));
    if (options.inputs == Inputs::rows) add_rows(embeddings);
  }
  steps_.resize(length);
  if (options.batch == 0) return;
  gathered_ = reader.gather();
  slots_.resize(static_cast<std::size_t>(options.batch));
  for (Slot& slot : slots_) slot.steps.resize(length);
}

double TimedReader::run() {
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
  return per_word(now_ns() - begin);
}

double TimedReader::run_batch() {
  const double begin = now_ns();
  InFlight texts(*this);
  gathered_->read(texts);
  return per_word(now_ns() - begin);
}

Costs TimedReader::costs(Inputs inputs, double& skim_rate) {
  Costs sum;
  std::size_t skimmed = 0;
  for (const auto& text : texts_) {
    for (std::size_t t = 0; t < text.size(); ++t) {
      steps_[t].width =
          static_cast<std::uint16_t>(reader_.spec().width(static_cast<int>(text[t] % 2)));
    }
    sum += pass_cost(reader_.spec(), steps_, inputs);
    skimmed += static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](std::uint32_t word) { return word % 2 == 1; }));
  }
  skim_rate = static_cast<double>(skimmed) / static_cast<double>(texts_.size() * steps_.size());
  return sum;
}

void TimedReader::add_rows(const RandomEmbeddings& embeddings) {
  std::vector<float> rows;
  for (const std::uint32_t word : texts_.back()) {
    rows.insert(rows.end(), embeddings.row(word),
                embeddings.row(word) + embeddings.embedding_size());
  }
  rows_.push_back(std::move(rows));
}

double TimedReader::per_word(double nanoseconds) const {
  return nanoseconds / static_cast<double>(texts_.size() * steps_.size());
}

}  // namespace skim

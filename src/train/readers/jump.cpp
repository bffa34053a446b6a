// LSTM-Jump (Yu et al. 2017), by words or by sentences. Only words that are read are computed at
// all: every text of the batch has its own place, and each step takes the next word of those that
// are still reading. Jumps are sampled in training and learned by reward; fit.cpp has the loss.
#include <algorithm>
#include <limits>

#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

Tensor index_of(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

class JumpingBatch {
 public:
  JumpingBatch(const ReaderRows& from, const ReadMode& mode)
      : from_(from),
        mode_(mode),
        moves_(mode.training ? mode.jump : from.spec.jump),
        texts_(from.batch.texts()),
        input_(torch::addmm(from.weight("big.b"), from.rows, from.weight("big.w").t())),
        inner_(from.spec.cell == Cell::gru ? from.weight("big.bn") : Tensor()),
        state_{torch::zeros({texts_, from.spec.hidden}), torch::zeros({texts_, from.spec.hidden})},
        place_(static_cast<std::size_t>(texts_), 0),
        end_(from.batch.lengths),
        read_(static_cast<std::size_t>(from.batch.rows()), 0.0F) {
    states_.push_back(state_.hidden);
  }

  ReadOutput read() {
    if (!mode_.training && mode_.threshold >= 1) return output();
    if (from_.backward) read_question();
    read_text();
    if (!from_.backward) read_question();
    return output();
  }

 private:
  void read_text() {
    go_to_part(false);
    for (int jumps = 0;; ++jumps) {
      read_run(moves_.run);
      if (jumps == moves_.most || !jump(jumps)) break;
    }
  }

  // Whatever was passed over before.
  void read_question() {
    go_to_part(true);
    read_run(std::numeric_limits<int>::max());
  }

  void go_to_part(bool question) {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::int64_t length = from_.batch.lengths[i], asked = from_.batch.asked[i];
      const bool first = question == from_.backward;
      const std::int64_t border = from_.backward ? asked : length - asked;
      place_[i] = first ? 0 : border;
      end_[i] = first ? border : length;
    }
  }

  // Texts that have words left in this part.
  std::vector<std::int64_t> reading() const {
    std::vector<std::int64_t> texts;
    for (std::size_t i = 0; i < place_.size(); ++i)
      if (place_[i] < end_[i]) texts.push_back(static_cast<std::int64_t>(i));
    return texts;
  }

  // Goes on by a word. True when that ends what run and reach are counted in.
  bool step_on(std::int64_t text) {
    const std::int64_t row = from_.batch.steps.row(text, place_[static_cast<std::size_t>(text)]++);
    const std::vector<int>& ends = from_.spec.jump.ends;
    return ends.empty() ||
           std::find(ends.begin(), ends.end(), from_.batch.words[static_cast<std::size_t>(row)]) !=
               ends.end();
  }

  // The words up to the next jump, for each step of the texts that still have one.
  struct Step {
    std::vector<std::int64_t> texts, rows;
  };
  std::vector<Step> next_run(int units) {
    std::vector<Step> run;
    std::vector<int> left(place_.size(), units);
    for (;;) {
      Step step;
      for (const std::int64_t text : reading()) {
        const auto i = static_cast<std::size_t>(text);
        if (left[i] == 0) continue;
        step.texts.push_back(text);
        step.rows.push_back(from_.batch.steps.row(text, place_[i]));
        if (step_on(text)) --left[i];
      }
      if (step.texts.empty()) return run;
      run.push_back(std::move(step));
    }
  }

  void read_run(int units) {
    const std::vector<Step> run = next_run(units);
    if (run.empty()) return;
    std::vector<std::int64_t> rows, sizes;
    for (const Step& step : run) {
      rows.insert(rows.end(), step.rows.begin(), step.rows.end());
      sizes.push_back(wide(step.rows.size()));
    }
    // Taken out at once: the gradient of every piece taken by itself is as large as the whole.
    const std::vector<Tensor> inputs =
        input_.index_select(0, index_of(rows)).split_with_sizes(sizes);
    for (std::size_t i = 0; i < run.size(); ++i) read_words(run[i], inputs[i]);
  }

  void read_words(const Step& step, const Tensor& input) {
    const Tensor chosen = index_of(step.texts);
    const CellState before{state_.hidden.index_select(0, chosen),
                           state_.cell.index_select(0, chosen)};
    const CellState made = run_cell(from_.spec.cell, input,
                                    before.hidden.mm(from_.weight("big.u").t()), inner_, before);
    state_.hidden = state_.hidden.index_copy(0, chosen, made.hidden);
    if (made.cell.defined()) state_.cell = state_.cell.index_copy(0, chosen, made.cell);
    for (const std::int64_t row : step.rows) {
      read_[static_cast<std::size_t>(row)] = 1;
      made_at_.emplace_back(row, made_++);
    }
    states_.push_back(made.hidden);
  }

  // False when no text goes on.
  bool jump(int number) {
    const std::vector<std::int64_t> texts = reading();
    if (texts.empty()) return false;
    const Tensor state = state_.hidden.index_select(0, index_of(texts));
    const Tensor log_p = torch::log_softmax(
        torch::addmm(from_.weight("jump.b"), state, from_.weight("jump.w").t()), 1);
    const Tensor way =
        (mode_.training ? log_p.detach() + noise(texts, number, log_p.size(1)) : log_p).argmax(1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto text = static_cast<std::size_t>(texts[i]);
      const std::int64_t far = way.data_ptr<std::int64_t>()[i];
      if (far == 0) place_[text] = end_[text];
      for (std::int64_t passed = 1; passed < far && place_[text] < end_[text];)
        passed += step_on(texts[i]) ? 1 : 0;
    }
    if (!mode_.training) return true;
    texts_of_jumps_.insert(texts_of_jumps_.end(), texts.begin(), texts.end());
    log_p_.push_back(log_p.gather(1, way.unsqueeze(1)).squeeze(1));
    // What is expected must not change what is read.
    expected_.push_back(
        torch::addmm(from_.weight("baseline.b"), state.detach(), from_.weight("baseline.w").t())
            .squeeze(1));
    return true;
  }

  Tensor noise(const std::vector<std::int64_t>& texts, int number, std::int64_t ways) const {
    Tensor values = torch::empty({wide(texts.size()), ways});
    const Noise mine = mode_.noise.at(static_cast<std::uint64_t>(Use::choice)).at(from_.index);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Noise text = mine.at(from_.batch.items[static_cast<std::size_t>(texts[i])]);
      for (std::int64_t way = 0; way < ways; ++way)
        values.data_ptr<float>()[wide(i) * ways + way] =
            text.gumbel(static_cast<std::uint64_t>(number * ways + way));
    }
    return values;
  }

  // A word that was passed over leaves the state of the one before it.
  ReadOutput output() const {
    const Batch& batch = from_.batch;
    std::vector<std::int64_t> source(read_.size(), -1);
    for (const auto& [row, made] : made_at_) source[static_cast<std::size_t>(row)] = texts_ + made;
    for (std::int64_t text = 0; text < texts_; ++text) {
      std::int64_t last = text;  // the zero state
      for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(text)]; ++t) {
        std::int64_t& at = source[static_cast<std::size_t>(batch.steps.row(text, t))];
        if (at < 0) at = last;
        last = at;
      }
    }
    ReadOutput out;
    out.hidden = torch::cat(states_).index_select(0, index_of(source));
    const Tensor read = torch::tensor(read_);
    out.taken = torch::stack({read, 1 - read}, 1);
    out.log_p = torch::log(out.taken.clamp_min(1e-9));
    if (texts_of_jumps_.empty()) return out;
    out.sampled_text = index_of(texts_of_jumps_);
    out.sampled_log_p = torch::cat(log_p_);
    out.expected = torch::cat(expected_);
    return out;
  }

  static std::int64_t wide(std::size_t value) { return static_cast<std::int64_t>(value); }

  const ReaderRows& from_;
  const ReadMode& mode_;
  JumpSpec moves_;
  std::int64_t texts_;
  Tensor input_, inner_;
  CellState state_;
  std::vector<std::int64_t> place_, end_;  // of each text: its next word, and where this part ends
  std::vector<float> read_;                // of each row, 1 or 0
  std::vector<Tensor> states_;             // zero ones, then as they were made
  std::vector<std::pair<std::int64_t, std::int64_t>> made_at_;  // row, number of its state
  std::int64_t made_ = 0;
  std::vector<std::int64_t> texts_of_jumps_;
  std::vector<Tensor> log_p_, expected_;
};

}  // namespace

ReadOutput read_jumping(const ReaderRows& from, const ReadMode& mode) {
  return JumpingBatch(from, mode).read();
}

}  // namespace skim::train

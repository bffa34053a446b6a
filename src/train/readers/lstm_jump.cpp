// LSTM-Jump (Yu et al. 2017), over words or sentences. Computes only words that are read: every
// text of the batch has its own position, and a step takes the next word of the texts that still
// read. Jumps are sampled in training and learned by REINFORCE (fit_losses.cpp).
#include <algorithm>
#include <limits>

#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

Tensor to_index(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

class LstmJumpBatch {
 public:
  LstmJumpBatch(const ReaderInput& from, const ReadMode& mode)
      : from_(from),
        mode_(mode),
        jump_spec_(mode.training ? mode.jump : from.spec.jump),
        texts_(from.batch.texts()),
        input_(torch::addmm(from.weight("big.bias"), from.rows, from.weight("big.weight_ih").t())),
        bias_hn_(from.spec.cell == Cell::gru ? from.weight("big.bias_hn") : Tensor()),
        state_{torch::zeros({texts_, from.spec.hidden_size}),
               torch::zeros({texts_, from.spec.hidden_size})},
        position_(static_cast<std::size_t>(texts_), 0),
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
    seek_segment(false);
    for (int jumps = 0;; ++jumps) {
      read_tokens(jump_spec_.tokens_per_jump);
      if (jumps == jump_spec_.max_jumps || !jump(jumps)) break;
    }
  }

  // The question is read whole.
  void read_question() {
    seek_segment(true);
    read_tokens(std::numeric_limits<int>::max());
  }

  // Moves all texts to the beginning of their question or of the rest.
  void seek_segment(bool question) {
    for (std::size_t i = 0; i < position_.size(); ++i) {
      const std::int64_t length = from_.batch.lengths[i];
      const std::int64_t question_length = from_.batch.question_length[i];
      const bool first = question == from_.backward;
      const std::int64_t border = from_.backward ? question_length : length - question_length;
      position_[i] = first ? 0 : border;
      end_[i] = first ? border : length;
    }
  }

  // Texts with words left in the current segment.
  std::vector<std::int64_t> active_texts() const {
    std::vector<std::int64_t> texts;
    for (std::size_t i = 0; i < position_.size(); ++i)
      if (position_[i] < end_[i]) texts.push_back(static_cast<std::int64_t>(i));
    return texts;
  }

  // Moves on by one word; true when the word ends a unit of jumping, a word or a sentence.
  bool advance(std::int64_t text) {
    const std::int64_t row =
        from_.batch.steps.row(text, position_[static_cast<std::size_t>(text)]++);
    const std::vector<int>& ends = from_.spec.jump.sentence_end_ids;
    return ends.empty() ||
           std::find(ends.begin(), ends.end(), from_.batch.words[static_cast<std::size_t>(row)]) !=
               ends.end();
  }

  // The rows of one step, and the texts they belong to.
  struct Step {
    std::vector<std::int64_t> texts, rows;
  };
  // The steps up to the next jump.
  std::vector<Step> plan_run(int count) {
    std::vector<Step> run;
    std::vector<int> remaining(position_.size(), count);
    for (;;) {
      Step step;
      for (const std::int64_t text : active_texts()) {
        const auto i = static_cast<std::size_t>(text);
        if (remaining[i] == 0) continue;
        step.texts.push_back(text);
        step.rows.push_back(from_.batch.steps.row(text, position_[i]));
        if (advance(text)) --remaining[i];
      }
      if (step.texts.empty()) return run;
      run.push_back(std::move(step));
    }
  }

  void read_tokens(int count) {
    const std::vector<Step> run = plan_run(count);
    if (run.empty()) return;
    std::vector<std::int64_t> rows, sizes;
    for (const Step& step : run) {
      rows.insert(rows.end(), step.rows.begin(), step.rows.end());
      sizes.push_back(wide(step.rows.size()));
    }
    // One index_select for all steps: the gradient of each has the size of the whole tensor.
    const std::vector<Tensor> inputs =
        input_.index_select(0, to_index(rows)).split_with_sizes(sizes);
    for (std::size_t i = 0; i < run.size(); ++i) read_step(run[i], inputs[i]);
  }

  void read_step(const Step& step, const Tensor& input) {
    const Tensor chosen = to_index(step.texts);
    const CellState before{state_.hidden.index_select(0, chosen),
                           state_.cell.index_select(0, chosen)};
    const CellState made =
        run_cell(from_.spec.cell, input, before.hidden.mm(from_.weight("big.weight_hh").t()),
                 bias_hn_, before);
    state_.hidden = state_.hidden.index_copy(0, chosen, made.hidden);
    if (made.cell.defined()) state_.cell = state_.cell.index_copy(0, chosen, made.cell);
    for (const std::int64_t row : step.rows) {
      read_[static_cast<std::size_t>(row)] = 1;
      state_rows_.emplace_back(row, num_states_++);
    }
    states_.push_back(made.hidden);
  }

  // Chooses and takes the next jump of each text; false when no text has words left.
  bool jump(int number) {
    const std::vector<std::int64_t> texts = active_texts();
    if (texts.empty()) return false;
    const Tensor state = state_.hidden.index_select(0, to_index(texts));
    const Tensor log_p = torch::log_softmax(
        torch::addmm(from_.weight("jump.bias"), state, from_.weight("jump.weight").t()), 1);
    const Tensor choice =
        (mode_.training ? log_p.detach() + noise(texts, number, log_p.size(1)) : log_p).argmax(1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto text = static_cast<std::size_t>(texts[i]);
      const std::int64_t distance = choice.data_ptr<std::int64_t>()[i];
      if (distance == 0) position_[text] = end_[text];
      for (std::int64_t skipped = 1; skipped < distance && position_[text] < end_[text];)
        skipped += advance(texts[i]) ? 1 : 0;
    }
    if (!mode_.training) return true;
    jump_texts_.insert(jump_texts_.end(), texts.begin(), texts.end());
    log_p_.push_back(log_p.gather(1, choice.unsqueeze(1)).squeeze(1));
    // The baseline must not train the reader.
    baseline_.push_back(torch::addmm(from_.weight("baseline.bias"), state.detach(),
                                     from_.weight("baseline.weight").t())
                            .squeeze(1));
    return true;
  }

  Tensor noise(const std::vector<std::int64_t>& texts, int number, std::int64_t num_choices) const {
    Tensor values = torch::empty({wide(texts.size()), num_choices});
    const CounterRng reader_rng =
        mode_.noise.at(static_cast<std::uint64_t>(RandomUse::choice)).at(from_.index);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const CounterRng text = reader_rng.at(from_.batch.items[static_cast<std::size_t>(texts[i])]);
      for (std::int64_t choice = 0; choice < num_choices; ++choice)
        values.data_ptr<float>()[wide(i) * num_choices + choice] =
            text.gumbel(static_cast<std::uint64_t>(number * num_choices + choice));
    }
    return values;
  }

  // A word that was jumped over has the state of the word before it.
  ReadOutput output() const {
    const Batch& batch = from_.batch;
    std::vector<std::int64_t> source(read_.size(), -1);
    for (const auto& [row, made] : state_rows_)
      source[static_cast<std::size_t>(row)] = texts_ + made;
    for (std::int64_t text = 0; text < texts_; ++text) {
      std::int64_t last = text;  // the zero state
      for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(text)]; ++t) {
        std::int64_t& at = source[static_cast<std::size_t>(batch.steps.row(text, t))];
        if (at < 0) at = last;
        last = at;
      }
    }
    ReadOutput out;
    out.hidden = torch::cat(states_).index_select(0, to_index(source));
    const Tensor read = torch::tensor(read_);
    out.taken = torch::stack({read, 1 - read}, 1);
    out.log_p = torch::log(out.taken.clamp_min(1e-9));
    if (jump_texts_.empty()) return out;
    out.sampled_text = to_index(jump_texts_);
    out.sampled_log_p = torch::cat(log_p_);
    out.baseline = torch::cat(baseline_);
    return out;
  }

  static std::int64_t wide(std::size_t value) { return static_cast<std::int64_t>(value); }

  const ReaderInput& from_;
  const ReadMode& mode_;
  JumpSpec jump_spec_;
  std::int64_t texts_;
  Tensor input_, bias_hn_;
  CellState state_;
  std::vector<std::int64_t> position_, end_;  // per text: its next word and the end of the segment
  std::vector<float> read_;                   // per row: 1 or 0
  std::vector<Tensor> states_;                // initial states, then those of each step
  std::vector<std::pair<std::int64_t, std::int64_t>> state_rows_;  // row, index of its state
  std::int64_t num_states_ = 0;
  std::vector<std::int64_t> jump_texts_;
  std::vector<Tensor> log_p_, baseline_;
};

}  // namespace

ReadOutput read_lstm_jump(const ReaderInput& from, const ReadMode& mode) {
  return LstmJumpBatch(from, mode).read();
}

}  // namespace skim::train

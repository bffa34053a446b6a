#include "nets/bidaf.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/best_span.h"
#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/attention.h"
#include "nets/spelled_words.h"
#include "nets/stack.h"

namespace skim {
namespace {

class Bidaf final : public Net {
 public:
  explicit Bidaf(const NetParts& parts) : Bidaf(parts, parts.spec.stacks()) {}

  Piece answer(const Asked& asked, const Policy& policy, NetMemory& memory,
               std::vector<float>& scores) const override {
    const std::size_t count = asked.text.size();
    scores.assign(2 * count, 0.0F);
    for (const Stack* stack : {&contextual_, &modelling_, &output_}) stack->start(memory);
    read_question(asked, policy, memory);
    if (count == 0) return {};
    const Rows text = words_.rows_of(asked.text, asked.text_spelling, memory, memory.inputs);
    read(contextual_, text, policy, memory, memory.text);
    meet(count, asked.question.size(), memory);
    const Rows met{memory.inputs.data(), count, met_width(), met_width()};
    const Rows modelled = read(modelling_, met, policy, memory, memory.windows);
    score(first_w_, met, modelled, memory, scores.data());
    score(last_w_, met, read(output_, modelled, policy, memory, memory.matches), memory,
          scores.data() + count);
    const BestSpan best = best_span({scores.data(), count}, {scores.data() + count, count});
    return {best.first, best.last};
  }

 private:
  Bidaf(const NetParts& parts, const std::vector<StackSpec>& stacks)
      : words_(parts),
        contextual_(parts, stacks[0], Keep::rows),
        modelling_(parts, stacks[1], Keep::rows, 2 * contextual_.passes()),
        output_(parts, stacks[2], Keep::rows, 2 * contextual_.passes() + modelling_.passes()),
        of_text_(with_slack(to_floats(parts.file, "meeting.text"))),
        attention_(parts, "meeting.question", "meeting.both"),
        first_w_(with_slack(to_floats(parts.file, "first.w"))),
        last_w_(with_slack(to_floats(parts.file, "last.w"))) {}

  std::size_t row() const { return contextual_.row_width(); }
  std::size_t stride() const { return attention_.stride(); }
  std::size_t met_width() const { return 4 * row(); }

  // Reads rows and keeps what comes out where no later reading reaches it. The padding is zero.
  Rows read(const Stack& stack, const Rows& rows, const Policy& policy, NetMemory& memory,
            Buffer<float>& keep, std::size_t again = 0) const {
    Input input;
    input.rows = rows;
    const Rows out = stack.read(input, policy, memory, again);
    keep.grow(rows.count * stride() + kPoolSlack);
    for (std::size_t t = 0; t < rows.count; ++t) {
      std::copy_n(out.row(t), row(), keep.data() + t * stride());
      std::fill_n(keep.data() + t * stride() + row(), stride() - row(), 0.0F);
    }
    return {keep.data(), rows.count, row(), stride()};
  }

  // The question by itself, into memory.question; once for as many texts as it is asked about.
  void read_question(const Asked& asked, const Policy& policy, NetMemory& memory) const {
    NetMemory::ReadQuestion& last = memory.read_question;
    const std::string_view text = asked.question_spelling.bytes;
    if (last.there && last.text == text && last.policy == policy) return;
    last.there = false;
    contextual_.start(memory, 1);
    const Rows question =
        words_.rows_of(asked.question, asked.question_spelling, memory, memory.inputs);
    if (question.count > 0) read(contextual_, question, policy, memory, memory.question, 1);
    last.text.assign(text);
    last.policy = policy;
    last.there = true;
  }

  // For each word h of the text: [h; u~; h * u~; h * h~] into memory.inputs, u~ being what of the
  // question matters to h and h~ what of the text matters to the question.
  void meet(std::size_t texts, std::size_t questions, NetMemory& memory) const {
    memory.gates.grow(texts + kPoolSlack);
    attention_.attend_to(memory.question, questions, memory.text, texts, memory,
                         memory.gates.data());
    find_what_matters(texts, memory);
    put_together(texts, memory);
  }

  // The text's words in proportion to their best match with the question, into memory.pooled.
  void find_what_matters(std::size_t texts, NetMemory& memory) const {
    static constexpr float kNoBias = 0;
    float* shares = memory.gates.data();
    for (std::size_t t = 0; t < texts; ++t) {
      float own = 0;
      dense({of_text_.data(), &kNoBias, 1, row()}, memory.text.data() + t * stride(), &own);
      shares[t] += own;
    }
    softmax(shares, texts);
    memory.pooled.grow(stride());
    float* sum = memory.pooled.data();
    std::fill_n(sum, stride(), 0.0F);
    for (std::size_t t = 0; t < texts; ++t) {
      const float* h = memory.text.data() + t * stride();
      for (std::size_t i = 0; i < row(); ++i) sum[i] += shares[t] * h[i];
    }
  }

  void put_together(std::size_t texts, NetMemory& memory) const {
    memory.inputs.grow(texts * met_width() + kPoolSlack);
    const float* whole = memory.pooled.data();
    for (std::size_t t = 0; t < texts; ++t) {
      const float* h = memory.text.data() + t * stride();
      const float* u = memory.attended.data() + t * stride();
      float* out = memory.inputs.data() + t * met_width();
      for (std::size_t i = 0; i < row(); ++i) {
        out[i] = h[i];
        out[row() + i] = u[i];
        out[2 * row() + i] = h[i] * u[i];
        out[3 * row() + i] = h[i] * whole[i];
      }
    }
  }

  // How likely each word is, by what met there and what was read of it.
  void score(const Buffer<float>& weights, const Rows& met, const Rows& modelled, NetMemory& memory,
             float* into) const {
    static constexpr float kNoBias = 0;
    memory.work.grow(met.count + kPoolSlack);
    float* scores = memory.work.data();
    for (std::size_t t = 0; t < met.count; ++t) {
      float of_met = 0, of_modelled = 0;
      dense({weights.data(), &kNoBias, 1, met_width()}, met.row(t), &of_met);
      dense({weights.data() + met_width(), &kNoBias, 1, row()}, modelled.row(t), &of_modelled);
      scores[t] = of_met + of_modelled;
    }
    softmax(scores, met.count);
    std::copy_n(scores, met.count, into);
  }

  SpelledWords words_;
  Stack contextual_, modelling_, output_;
  Buffer<float> of_text_;
  Attention attention_;
  Buffer<float> first_w_, last_w_;
};

}  // namespace

std::unique_ptr<Net> make_bidaf(const NetParts& parts) { return std::make_unique<Bidaf>(parts); }

}  // namespace skim

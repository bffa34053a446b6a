#include "nets/span.h"

#include <algorithm>
#include <functional>

#include "base/best_span.h"
#include "file/model_file.h"
#include "kernels/attend.h"
#include "kernels/pool.h"
#include "nets/attention.h"
#include "nets/stack.h"

namespace skim {
namespace {

class Span final : public Net {
 public:
  explicit Span(const NetParts& parts)
      : words_(parts.words),
        stack_(parts, parts.spec.stacks().front(), Keep::log),
        attention_(parts, "question.w", "question.both"),
        first_w_(with_slack(to_floats(parts.file, "first.w"))),
        last_w_(with_slack(to_floats(parts.file, "last.w"))) {}

  Piece answer(const Asked& asked, const Policy& policy, NetMemory& memory,
               std::vector<float>& scores) const override {
    stack_.start(memory);
    Input input;
    input.rows = attend_to_question(asked, memory);
    stack_.read(input, policy, memory);
    const std::size_t count = asked.text.size();
    scores.resize(2 * count);
    score_words(first_w_, count, memory, scores.data());
    score_words(last_w_, count, memory, scores.data() + count);
    const BestSpan best = best_span({scores.data(), count}, {scores.data() + count, count});
    return {best.first, best.last};
  }

 private:
  std::size_t stride() const { return attention_.stride(); }

  void vectors_of(std::span<const std::uint32_t> ids, Buffer<float>& into) const {
    into.grow(ids.size() * stride());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      float* row = into.data() + i * stride();
      words_.vector(ids[i], row);
      std::fill(row + words_.width(), row + stride(), 0.0F);
    }
  }

  // [x; u; x * u] for each word x of the text, u being what of the question matters to it.
  Rows attend_to_question(const Asked& asked, NetMemory& memory) const {
    const std::size_t count = asked.question.size(), texts = asked.text.size();
    vectors_of(asked.question, memory.pooled);
    vectors_of(asked.text, memory.text);
    attention_.attend_to(memory.pooled, count, memory.text, texts, memory);
    return side_by_side(texts, memory);
  }

  Rows side_by_side(std::size_t count, NetMemory& memory) const {
    const std::size_t width = words_.width();
    const std::size_t wide = round_up(3 * width, kAttendPad);
    memory.inputs.grow(count * wide);
    for (std::size_t t = 0; t < count; ++t) {
      const float* x = memory.text.data() + t * stride();
      const float* u = memory.attended.data() + t * stride();
      float* row = memory.inputs.data() + t * wide;
      std::copy_n(x, width, row);
      std::copy_n(u, width, row + width);
      std::transform(x, x + width, u, row + 2 * width, std::multiplies<>());
    }
    return {memory.inputs.data(), count, 3 * width, wide};
  }

  // The probability of each word, by its row of the last layer.
  void score_words(const Buffer<float>& weights, std::size_t count, NetMemory& memory,
                   float* into) const {
    memory.work.grow(count + kPoolSlack);
    float* scores = memory.work.data();
    std::fill_n(scores, count, 0.0F);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      pool_scores(stack_.log_of(memory, direction), weights.data() + direction * stack_.hidden(),
                  scores);
    }
    softmax(scores, count);
    std::copy_n(scores, count, into);
  }

  const WordSource& words_;
  Stack stack_;
  Attention attention_;
  Buffer<float> first_w_, last_w_;
};

}  // namespace

std::unique_ptr<Net> make_span(const NetParts& parts) { return std::make_unique<Span>(parts); }

}  // namespace skim

#include "nets/cloze.h"

#include <algorithm>

#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/stack.h"

namespace skim {
namespace {

class Cloze final : public Net {
 public:
  explicit Cloze(const NetParts& parts)
      : words_(parts.words),
        stack_(parts, parts.spec.stacks().front(), Keep::states),
        choice_w_(with_slack(to_floats(parts.file, "choice.w"))),
        choice_b_(with_slack(to_floats(parts.file, "choice.b"))) {}

  Piece answer(const Asked& asked, const Policy& policy, NetMemory& memory,
               std::vector<float>& scores) const override {
    memory.words.assign(asked.text.begin(), asked.text.end());
    memory.words.insert(memory.words.end(), asked.question.begin(), asked.question.end());
    stack_.start(memory);
    Input input;
    input.words = memory.words;
    input.question = asked.text.size();
    stack_.read(input, policy, memory);
    look_for(memory);
    const std::size_t count = asked.choices.size();
    memory.work.grow(count + width() + kPoolSlack);
    float* of_choices = memory.work.data();
    for (std::size_t i = 0; i < count; ++i) of_choices[i] = score(asked.choices[i], memory);
    softmax(of_choices, count);
    scores.assign(of_choices, of_choices + count);
    return {};
  }

 private:
  std::size_t width() const { return words_.width(); }

  // What a fitting choice looks like, into memory.attended.
  void look_for(NetMemory& memory) const {
    memory.pooled.grow(stack_.row_width() + kPoolSlack);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      std::copy_n(stack_.last_pass(memory, direction).state.hidden.data(), stack_.hidden(),
                  memory.pooled.data() + direction * stack_.hidden());
    }
    memory.attended.grow(width() + kPoolSlack);
    dense({choice_w_.data(), choice_b_.data(), width(), stack_.row_width()}, memory.pooled.data(),
          memory.attended.data());
  }

  // A choice of several words is as good as they are on average; one of none scores nothing.
  float score(const std::vector<std::uint32_t>& choice, NetMemory& memory) const {
    memory.text.grow(width() + kPoolSlack);
    float* vector = memory.text.data();
    float sum = 0;
    for (const std::uint32_t word : choice) {
      words_.vector(word, vector);
      for (std::size_t i = 0; i < width(); ++i) sum += vector[i] * memory.attended[i];
    }
    return choice.empty() ? 0 : sum / static_cast<float>(choice.size());
  }

  const WordSource& words_;
  Stack stack_;
  Buffer<float> choice_w_, choice_b_;
};

}  // namespace

std::unique_ptr<Net> make_cloze(const NetParts& parts) { return std::make_unique<Cloze>(parts); }

}  // namespace skim

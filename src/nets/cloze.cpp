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
      : embeddings_(parts.embeddings),
        stack_(parts, parts.spec.stacks().front(), StackOutput::final_state),
        choice_weight_(with_padding(to_floats(parts.file, "choice.weight"))),
        choice_bias_(with_padding(to_floats(parts.file, "choice.bias"))) {}

  BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                   NetOutput out) const override {
    memory.ids.assign(query.text.begin(), query.text.end());
    memory.ids.insert(memory.ids.end(), query.question.begin(), query.question.end());
    stack_.start(memory);
    Input input;
    input.ids = memory.ids;
    input.question_begin = query.text.size();
    stack_.forward(input, policy, memory);
    project_state(memory);
    const std::size_t count = query.choices.size();
    memory.work.grow(count + embedding_size() + kPoolPadding);
    float* logits = memory.work.data();
    for (std::size_t i = 0; i < count; ++i) logits[i] = choice_logit(query.choices[i], memory);
    write_output(logits, count, out);
    return {};
  }

 private:
  std::size_t embedding_size() const { return embeddings_.embedding_size(); }

  // Projects the final states to the embedding of the expected answer, into memory.attended.
  void project_state(NetMemory& memory) const {
    memory.pooled.grow(stack_.output_size() + kPoolPadding);
    for (std::size_t direction = 0; direction < stack_.directions(); ++direction) {
      std::copy_n(stack_.last_pass(memory, direction).state.hidden.data(), stack_.hidden_size(),
                  memory.pooled.data() + direction * stack_.hidden_size());
    }
    memory.attended.grow(embedding_size() + kPoolPadding);
    linear({choice_weight_.data(), choice_bias_.data(), embedding_size(), stack_.output_size()},
           memory.pooled.data(), memory.attended.data());
  }

  // Mean logit of the words of a choice; 0 for a choice without words.
  float choice_logit(const std::vector<std::uint32_t>& choice, NetMemory& memory) const {
    memory.text.grow(embedding_size() + kPoolPadding);
    float* embedding = memory.text.data();
    float sum = 0;
    for (const std::uint32_t word : choice) {
      lookup_word(embeddings_, memory.composed.data(), word, embedding);
      for (std::size_t i = 0; i < embedding_size(); ++i) sum += embedding[i] * memory.attended[i];
    }
    return choice.empty() ? 0 : sum / static_cast<float>(choice.size());
  }

  const EmbeddingTable& embeddings_;
  Stack stack_;
  Buffer<float> choice_weight_, choice_bias_;
};

}  // namespace

std::unique_ptr<Net> make_cloze(const NetParts& parts) { return std::make_unique<Cloze>(parts); }

}  // namespace skim

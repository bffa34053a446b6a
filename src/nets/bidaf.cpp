#include "nets/bidaf.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/best_span.h"
#include "file/model_file.h"
#include "kernels/pool.h"
#include "nets/attention.h"
#include "nets/char_cnn.h"
#include "nets/stack.h"

namespace skim {
namespace {

class Bidaf final : public Net {
 public:
  explicit Bidaf(const NetParts& parts) : Bidaf(parts, parts.spec.stacks()) {}

  BestSpan forward(const EncodedQuery& query, const Policy& policy, NetMemory& memory,
                   NetOutput out) const override {
    const std::size_t count = query.text.size();
    begin_output(out);
    for (const Stack* stack : {&contextual_, &modeling_, &output_}) stack->start(memory);
    encode_question(query, policy, memory);
    if (count == 0) return {};
    const Rows text = embedding_.forward(query.text, query.text_source, memory, memory.inputs);
    encode(contextual_, text, policy, memory, memory.text);
    attention_flow(count, query.question.size(), memory);
    const Rows flow{memory.inputs.data(), count, flow_width(), flow_width()};
    const Rows modeled = encode(modeling_, flow, policy, memory, memory.windows);
    append_output(boundary_logits(start_weight_, flow, modeled, memory), count, out);
    const Rows decoded = encode(output_, modeled, policy, memory, memory.matches);
    append_output(boundary_logits(end_weight_, flow, decoded, memory), count, out);
    return best_span(std::span(out.scores).first(count), std::span(out.scores).last(count));
  }

 private:
  Bidaf(const NetParts& parts, const std::vector<StackSpec>& stacks)
      : embedding_(parts),
        contextual_(parts, stacks[0], StackOutput::rows),
        modeling_(parts, stacks[1], StackOutput::rows, 2 * contextual_.passes()),
        output_(parts, stacks[2], StackOutput::rows, 2 * contextual_.passes() + modeling_.passes()),
        context_weight_(with_padding(to_floats(parts.file, "attention.context"))),
        attention_(parts, "attention.query", "attention.product"),
        start_weight_(with_padding(to_floats(parts.file, "start.weight"))),
        end_weight_(with_padding(to_floats(parts.file, "end.weight"))) {}

  std::size_t output_size() const { return contextual_.output_size(); }
  std::size_t stride() const { return attention_.stride(); }
  std::size_t flow_width() const { return 4 * output_size(); }

  // Runs a stack over rows and copies its output to `buffer`, zero-padded.
  Rows encode(const Stack& stack, const Rows& rows, const Policy& policy, NetMemory& memory,
              Buffer<float>& buffer, std::size_t run = 0) const {
    Input input;
    input.rows = rows;
    const Rows out = stack.forward(input, policy, memory, run);
    buffer.grow(rows.count * stride() + kPoolPadding);
    for (std::size_t t = 0; t < rows.count; ++t) {
      std::copy_n(out.row(t), output_size(), buffer.data() + t * stride());
      std::fill_n(buffer.data() + t * stride() + output_size(), stride() - output_size(), 0.0F);
    }
    return {buffer.data(), rows.count, output_size(), stride()};
  }

  // Encodes the question into memory.question; cached for further texts.
  void encode_question(const EncodedQuery& query, const Policy& policy, NetMemory& memory) const {
    NetMemory::CachedQuestion& cached = memory.cached_question;
    const std::string_view text = query.question_source.text;
    if (cached.valid && cached.text == text && cached.policy == policy) return;
    cached.valid = false;
    contextual_.start(memory, 1);
    const Rows question =
        embedding_.forward(query.question, query.question_source, memory, memory.inputs);
    if (question.count > 0) encode(contextual_, question, policy, memory, memory.question, 1);
    cached.text.assign(text);
    cached.policy = policy;
    cached.valid = true;
  }

  // The attention flow layer: for each word h of the context [h; u~; h * u~; h * h~] into
  // memory.inputs, with the context-to-query attention u~ and the query-to-context attention h~.
  void attention_flow(std::size_t context_size, std::size_t query_size, NetMemory& memory) const {
    memory.gates.grow(context_size + kPoolPadding);
    attention_.forward(memory.question, query_size, memory.text, context_size, memory,
                       memory.gates.data());
    query_to_context(context_size, memory);
    merge_flow(context_size, memory);
  }

  // Query-to-context attention h~: the average of the context, weighted by the softmax of each
  // word's largest logit, into memory.pooled.
  void query_to_context(std::size_t context_size, NetMemory& memory) const {
    static constexpr float kNoBias = 0;
    float* weights = memory.gates.data();
    for (std::size_t t = 0; t < context_size; ++t) {
      float context_logit = 0;
      linear({context_weight_.data(), &kNoBias, 1, output_size()},
             memory.text.data() + t * stride(), &context_logit);
      weights[t] += context_logit;
    }
    softmax(weights, context_size);
    memory.pooled.grow(stride());
    float* sum = memory.pooled.data();
    std::fill_n(sum, stride(), 0.0F);
    for (std::size_t t = 0; t < context_size; ++t) {
      const float* h = memory.text.data() + t * stride();
      for (std::size_t i = 0; i < output_size(); ++i) sum[i] += weights[t] * h[i];
    }
  }

  // Concatenates the outputs of both attentions with the context.
  void merge_flow(std::size_t context_size, NetMemory& memory) const {
    memory.inputs.grow(context_size * flow_width() + kPoolPadding);
    const float* attended_context = memory.pooled.data();
    for (std::size_t t = 0; t < context_size; ++t) {
      const float* h = memory.text.data() + t * stride();
      const float* u = memory.attended.data() + t * stride();
      float* out = memory.inputs.data() + t * flow_width();
      for (std::size_t i = 0; i < output_size(); ++i) {
        out[i] = h[i];
        out[output_size() + i] = u[i];
        out[2 * output_size() + i] = h[i] * u[i];
        out[3 * output_size() + i] = h[i] * attended_context[i];
      }
    }
  }

  // Logit of each word to be the start or the end of the answer; in memory.work.
  float* boundary_logits(const Buffer<float>& weights, const Rows& flow, const Rows& modeled,
                         NetMemory& memory) const {
    static constexpr float kNoBias = 0;
    memory.work.grow(flow.count + kPoolPadding);
    float* logits = memory.work.data();
    for (std::size_t t = 0; t < flow.count; ++t) {
      float flow_logit = 0, modeled_logit = 0;
      linear({weights.data(), &kNoBias, 1, flow_width()}, flow.row(t), &flow_logit);
      linear({weights.data() + flow_width(), &kNoBias, 1, output_size()}, modeled.row(t),
             &modeled_logit);
      logits[t] = flow_logit + modeled_logit;
    }
    return logits;
  }

  CharCnnEmbedding embedding_;
  Stack contextual_, modeling_, output_;
  Buffer<float> context_weight_;
  Attention attention_;
  Buffer<float> start_weight_, end_weight_;
};

}  // namespace

std::unique_ptr<Net> make_bidaf(const NetParts& parts) { return std::make_unique<Bidaf>(parts); }

}  // namespace skim

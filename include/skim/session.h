// Inference with a model. A session holds the working memory of one thread; make one per thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

// Not thread-safe.
class Session {
 public:
  explicit Session(Model model);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Model& model() const;

  // Fails when the query does not fit the model, and with Fault::format when a result is not finite
  // because the model's weights are too large.
  Result<Reading> read(const Query& query, Policy policy = {});
  // Reuses the memory of `into`: allocates nothing once it has held a text of the same length.
  Result<void> read(const Query& query, Policy policy, Reading& into, Detail detail = Detail::full);

  // Reads several texts at once on the calling thread, which takes less time per text than reading
  // one after the other; the results are the same. readings[i] is that of queries[i] under
  // policies[i]; the spans have the same length. The memory of readings already in the span is
  // reused.
  void read(std::span<const Query> queries, std::span<const Policy> policies,
            std::span<Result<Reading>> readings);

  // Streaming inference, equal to read() with the whole text. Unidirectional classifiers only.
  // `begin` discards the words pushed before. `push` takes one word as Model::tokenizer splits them
  // and returns the decision. `answer` may be called at any time. Once `settled`, the answer has
  // reached Policy::confident: further words are not read, and their steps are zero.
  Result<void> begin(Policy policy = {});
  Result<Step> push(std::string_view word);
  bool settled() const;
  Result<Reading> answer();

  // The hidden state of the last layer after the last word of the latest read() or answer(), the
  // forward direction before the backward one. Fails when there was none.
  Result<std::vector<float>> final_state() const;

 private:
  friend struct SessionAccess;
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace skim

// One caller's memory for reading with a model. A session serves one thread at a time; make one a
// thread.
#pragma once

#include <memory>
#include <string_view>

#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

class Session {
 public:
  explicit Session(Model model);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Model& model() const;

  Result<Reading> ask(const Query& query, Policy policy = {});
  // The same into a reading that is used again: allocates nothing once it has seen a text as long.
  Result<void> ask(const Query& query, Policy policy, Reading& into);

  // Word by word, for text that arrives over time; equal to asking with the whole text.
  // One-directional models only. `begin` forgets what was pushed before; `push` takes one word (as
  // the tokenizer would cut it) and tells how it was read; `answer` answers from the words so far
  // and may be called at any point.
  Result<void> begin(Policy policy = {});
  Result<Step> push(std::string_view word);
  Result<Reading> answer();

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace skim

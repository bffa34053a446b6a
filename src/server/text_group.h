// Texts that a worker thread reads together.
#pragma once

#include <cstddef>
#include <vector>

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/session.h"

namespace skim::server {

// Keeps its memory from group to group. Not thread-safe.
class TextGroup {
 public:
  static constexpr std::size_t kMaxTexts = 64;
  // Longer texts are read by themselves: the others would wait for them.
  static constexpr std::size_t kMaxTextBytes = std::size_t{8} << 10U;

  // Removes all texts.
  void clear();
  // Returns the index of the text, at most kMaxTexts - 1.
  std::size_t add(Query query, Policy policy);
  // Reads the texts that have been added since the last call, all with the model of the session.
  // After an exception they are still unread.
  void read(Session& session);

  std::size_t size() const { return queries_.size(); }
  const Query& query(std::size_t index) const { return queries_[index]; }
  // The reading of a text. Null unless it was read without an error.
  const Reading* reading(std::size_t index) const;
  // The time of the texts that were read in the same call, divided by their number.
  double microseconds(std::size_t index) const { return microseconds_[index]; }

  // Whether the readings, also those of earlier groups, hold more than 1.5 MiB of memory.
  bool is_large() const;

 private:
  std::vector<Query> queries_;
  std::vector<Policy> policies_;
  std::vector<Result<Reading>> readings_;  // at least as many as texts
  std::vector<double> microseconds_;
  std::size_t num_read_ = 0;
};

}  // namespace skim::server

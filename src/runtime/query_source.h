// A stream of queries for one thread.
#pragma once

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

// A query and where its reading goes.
struct QueryTask {
  const Query* query = nullptr;
  Policy policy;
  Result<Reading>* reading = nullptr;  // its memory is reused
  Detail detail = Detail::full;
};

class QuerySource {
 public:
  virtual ~QuerySource() = default;
  // Sets `task` to the next query, or returns false when there is none.
  virtual bool next(QueryTask& task) noexcept = 0;
};

}  // namespace skim

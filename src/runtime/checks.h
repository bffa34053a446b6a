// Validation of policies and queries.
#pragma once

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

// Fails unless the threshold is in [0, 1].
Result<void> check(const Policy& policy);
// Fails unless a model of this spec accepts the query.
Result<void> check(const Query& query, const ModelSpec& spec);
// The error for a question without words.
Result<void> missing_question();

}  // namespace skim

// What a caller can ask wrongly.
#pragma once

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

Result<void> check(const Policy& policy);
// Whether a model of this spec can answer such a query.
Result<void> check(const Query& query, const ModelSpec& spec);
// The error of a question without words.
Result<void> no_question();

}  // namespace skim

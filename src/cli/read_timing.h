// Latency measurement for `skim read`.
#pragma once

#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/session.h"

namespace skim::cli {

// Returns the microseconds from text to answer in steady state: the minimum of a few reads.
// `session` has read `query` before, so that embedding tables and caches are warm.
Result<double> measure_latency(Session& session, const Query& query, Policy policy);

}  // namespace skim::cli

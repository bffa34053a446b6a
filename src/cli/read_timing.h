// Times of one text for `skim read`, as docs/performance.md#times defines them.
#pragma once

#include "skim/session.h"

namespace skim::cli {

// The time since an arbitrary point, in microseconds.
double now_in_microseconds();

// The warm time in microseconds: the median of up to 21 readings of a text that the session has
// read before, as many as begin within 50 ms. The web page measures it likewise (web/timing.js).
Result<double> measure_warm_time(Session& session, const Query& query, Policy policy);

}  // namespace skim::cli

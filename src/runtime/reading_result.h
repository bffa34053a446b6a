// Conversion of the output of a net to a Reading.
#pragma once

#include <span>
#include <string>

#include "base/best_span.h"
#include "nets/net.h"
#include "runtime/model_impl.h"
#include "skim/query.h"

namespace skim {

// Sets answer and labels of a classifier, whatever its output activation.
void set_classification(const ModelImpl& impl, Reading& into);
// Sets the answer to the label or choice with the highest score.
void set_best_choice(std::span<const std::string> choices, Reading& into);
// Sets the answer to a span of the text; empty for a text without words.
void set_span(const std::string& text, const BestSpan& span, Reading& into);
// Empties what Detail::answer leaves out.
void clear_details(Reading& into);
// Copies trace and costs to `into`, reusing its memory.
void set_trace(const ModelImpl& impl, const NetMemory& memory, Reading& into);

}  // namespace skim

// Renders a reading for the terminal. See wire/reading_json.h for JSON and html_page.h for HTML.
#pragma once

#include <string>

#include "wire/reading_json.h"

namespace skim::cli {

// Returns the original text with read words marked: bold against dim, or [in brackets]. An answer
// span is highlighted, or <<marked>>; extractive models print the text once per pass, under the
// name of the pass. A question that was read follows the text.
enum class Style { brackets, ansi };
std::string marked_text(const ReadingView& view, Style style);
// The answer alone: the label, choice, span or number; the labels of a multi-label model, separated
// by commas, empty when there is none.
std::string short_answer(const Reading& reading, const ModelSpec& spec);
// The line of `skim run`: the short answer, with a tab and the score where there is one answer with
// a probability.
std::string answer_line(const Reading& reading, const ModelSpec& spec);
// One line of figures: "positive 97.1%, read 12 of 90 words (86.7% skimmed), 5.8x less work, 35 us"
std::string summary_line(const ReadingView& view);

}  // namespace skim::cli

// Renders a reading as marked text and as an HTML page. See wire/reading_json.h for JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"
#include "skim/spec.h"
#include "wire/reading_json.h"

namespace skim::cli {

// How a pass processed a word: full state, some intermediate level, or the smallest one.
enum class WordClass { read, between, skimmed };

// A run of words of the same class, bytes [begin, end) including the white space between them.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  WordClass word_class = WordClass::skimmed;
};
WordClass classify_step(const Step& step, const Pass& pass, const ModelSpec& spec);
// Returns the words of a pass, with neighbours of the same class joined. Segments do not cross the
// bounds of an answer in the text.
std::vector<Segment> make_segments(const ReadingView& view, const Pass& pass);

// Returns the original text with read words marked: bold against dim, or [in brackets]. An answer
// span is highlighted, or <<marked>>; extractive models print the text once per pass, under the
// name of the pass. A question that was read follows the text.
enum class Style { brackets, ansi };
std::string marked_text(const ReadingView& view, Style style);
// One line of figures: "positive 97.1%, read 12 of 90 words (86.7% skimmed), 5.8x less work, 35 us"
std::string summary_line(const ReadingView& view);

// Returns a self-contained HTML page.
std::string reading_page(const ReadingView& view);

}  // namespace skim::cli

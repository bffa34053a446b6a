// The faces of a reading for people: marked text and a page. wire/reading_json.h has the one for
// programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"
#include "skim/spec.h"
#include "wire/reading_json.h"

namespace skim::cli {

// How one word was treated in one pass.
enum class Look { read, between, skimmed };

// A stretch of text: bytes [begin, end), one or several words of one look with the white space
// between them.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Look look = Look::skimmed;
};
Look look_of(const Step& step, const Pass& pass, const ModelSpec& spec);
// The words of a pass, neighbours of one look joined, parted where an answer in the text begins and
// ends.
std::vector<Stretch> stretches_of(const ReadingView& view, const Pass& pass);

// The text as it was, read words set off: bright against dim in colour, [in brackets] without. An
// answer in the text stands in colour, or <<so>>; then there is one text a pass, under its name. A
// question that was read follows the text.
enum class Ink { plain, colour };
std::string marked_text(const ReadingView& view, Ink ink);
// "positive 97.1%, read 12 of 90 words (86.7% skimmed), 5.8x less work, 35 us"
std::string figures_line(const ReadingView& view);

std::string reading_page(const ReadingView& view);

}  // namespace skim::cli

// A reading with all that is shown beside it, and its three faces: JSON, marked text, a page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/spec.h"

namespace skim::cli {

// Borrows everything.
struct ReadingView {
  std::string_view text;
  const Reading& reading;
  const ModelSpec& spec;
  std::string_view model;  // its file
  Policy policy;
  double microseconds = 0;
  std::string_view question = {};
  std::span<const std::string> choices = {};
};

enum class Detail { answer, words };

// The fields that docs/cli.md promises; words and passes only with Detail::words.
Json reading_json(const ReadingView& view, Detail detail);

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

// How many words of the first pass were read in full.
std::size_t words_read(const Reading& reading);

std::string reading_page(const ReadingView& view);

}  // namespace skim::cli

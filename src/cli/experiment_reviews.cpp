#include "cli/experiment_reviews.h"

#include "cli/reading_view.h"
#include "skim/session.h"
#include "tasks/load.h"

namespace skim::cli {
namespace {

std::vector<Marked::Piece> pieces_of(const ReadingView& view) {
  std::vector<Marked::Piece> pieces;
  std::size_t at = 0;
  for (const Segment& segment : make_segments(view, view.reading.trace.front())) {
    if (segment.word_class != WordClass::read) continue;
    pieces.push_back({std::string(view.text.substr(at, segment.begin - at)), false});
    pieces.push_back(
        {std::string(view.text.substr(segment.begin, segment.end - segment.begin)), true});
    at = segment.end;
  }
  pieces.push_back({std::string(view.text.substr(at)), false});
  return pieces;
}

}  // namespace

Result<Section> marked_reviews(const Model& model, const std::filesystem::path& file) {
  const auto data = load_examples(file);
  if (!data) return tl::make_unexpected(data.error());
  Section section;
  section.heading = "Ten reviews";
  section.paragraphs = {
      "Written for this project in the manner of the real ones, and read by the built-in model. "
      "Words that it read stand "
      "out; all others it skimmed. The same on a terminal: `skim read \"TEXT\"`."};
  Session session(model);
  for (const Example& example : data->examples) {
    const auto reading = session.read(example.query);
    if (!reading) return tl::make_unexpected(reading.error());
    const ReadingView view{example.query.text, *reading, model.spec(), model.name(), {}, 0};
    Marked marked;
    marked.caption = example.label + ", answered " + reading->answer.text + " (" +
                     format_percent(static_cast<double>(reading->answer.score), 1) + "), read " +
                     std::to_string(count_words_read(*reading)) + " of " +
                     std::to_string(reading->words.size()) + " words";
    marked.pieces = pieces_of(view);
    section.texts.push_back(std::move(marked));
  }
  return section;
}

}  // namespace skim::cli

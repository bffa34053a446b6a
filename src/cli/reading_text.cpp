#include "cli/reading_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cli/output.h"
#include "cli/table.h"

namespace skim::cli {
namespace {

// How a pass processed a word: full state, some intermediate level, the smallest one, or not at all
// because the answer was clear before it.
enum class WordClass { read, between, skimmed, unseen };

// A run of words of the same class, bytes [begin, end) including the white space between them.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  WordClass word_class = WordClass::skimmed;
};

// Before the first word that was never looked at.
constexpr std::string_view kUnseen = "| ";
constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kNormal = "\x1b[22m";
// Bold, dim and normal do not reset these colours.
constexpr std::string_view kAnswer = "\x1b[30;42m", kAfterAnswer = "\x1b[0m";

void append_marked(std::string_view text, WordClass word_class, Style style, std::string& out) {
  if (word_class == WordClass::unseen) {
    out += kUnseen;
    out += printable_lines(text);
    return;
  }
  if (style == Style::brackets) {
    out +=
        word_class == WordClass::read ? "[" + printable_lines(text) + "]" : printable_lines(text);
    return;
  }
  out += word_class == WordClass::read      ? kBold
         : word_class == WordClass::skimmed ? kDim
                                            : std::string_view{};
  out += printable_lines(text);
  if (word_class != WordClass::between) out += kNormal;
}

// Converts CRLF to LF: a carriage return would be printed as an escape.
std::string remove_carriage_returns(std::string_view text) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), '\r'), out.end());
  return out;
}

// "5.8x less work", or the overhead of the decisions when every word is read.
std::string format_work(const Cost& cost) {
  const double reduction = cost.reduction();
  if (reduction >= 1) return format_number(reduction, reduction < 10 ? 1 : 0) + "x less work";
  return format_number((1 / reduction - 1) * 100, 0) + "% more work than dense";
}

std::string format_time(double microseconds) {
  return format_number(microseconds, microseconds < 10 ? 1 : 0) + " us";
}

std::string format_score(float score) {
  return " " + format_number(static_cast<double>(score) * 100, 1) + "%";
}

// "positive 97.1%", "joy 81.0%, love 40.3%", "no label (most likely joy 12.0%)" or "3.7".
std::string answer_with_score(const Reading& reading, const ModelSpec& spec) {
  const std::string best = printable(reading.answer.text);
  if (spec.output == OutputActivation::linear) return best;
  if (spec.output == OutputActivation::softmax) return best + format_score(reading.answer.score);
  std::string list;
  for (const int label : reading.labels) {
    const auto index = static_cast<std::size_t>(label);
    list += (list.empty() ? "" : ", ") + printable(spec.labels[index]) +
            format_score(reading.scores[index]);
  }
  if (!list.empty()) return list;
  return "no label (most likely " + best + format_score(reading.answer.score) + ")";
}

WordClass classify_step(const Step& step, const Pass& pass, const ModelSpec& spec) {
  if (step.width >= pass.hidden_size) return WordClass::read;
  return step.width > spec.reader.min_width() ? WordClass::between : WordClass::skimmed;
}

// Joins neighbours of the same class; segments do not cross the bounds of `cuts`.
std::vector<Segment> join_words(std::span<const TokenSpan> words, std::span<const Step> steps,
                                const Pass& pass, const ModelSpec& spec, const Answer& cuts) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordClass word_class =
        i < steps.size() ? classify_step(steps[i], pass, spec) : WordClass::unseen;
    const bool at_cut =
        cuts.begin < cuts.end && (words[i].begin == cuts.begin || words[i].begin >= cuts.end);
    const bool over = at_cut && !segments.empty() && segments.back().begin < cuts.end;
    if (!segments.empty() && segments.back().word_class == word_class && !over) {
      segments.back().end = words[i].end;
    } else {
      segments.push_back({words[i].begin, words[i].end, word_class});
    }
  }
  return segments;
}

// Returns `text` with its segments and the answer marked.
std::string mark(std::string_view text, const std::vector<Segment>& segments, const Answer& answer,
                 Style style) {
  const std::string_view open = style == Style::brackets ? "<<" : kAnswer;
  const std::string_view close = style == Style::brackets ? ">>" : kAfterAnswer;
  const bool has_span = answer.begin < answer.end;
  std::string out;
  std::size_t at = 0;
  const auto gap = [&](std::size_t end) {
    out += printable_lines(remove_carriage_returns(text.substr(at, end - at)));
  };
  for (const Segment& segment : segments) {
    gap(segment.begin);
    if (has_span && segment.begin == answer.begin) out += open;
    append_marked(remove_carriage_returns(text.substr(segment.begin, segment.end - segment.begin)),
                  segment.word_class, style, out);
    if (has_span && segment.end == answer.end) out += close;
    at = segment.end;
  }
  gap(text.size());
  return out;
}

// Marks a question that was read after the text in the same pass.
std::string mark_question(const ReadingView& view, const Pass& pass, Style style) {
  const std::size_t words = view.reading.words.size();
  if (pass.steps.size() <= words) return {};
  const auto steps = std::span(pass.steps).subspan(words);
  return "\n" + mark(view.question,
                     join_words(view.reading.question_words, steps, pass, view.spec, {}), {},
                     style);
}

// Returns the words of a pass, with neighbours of the same class joined. Segments do not cross the
// bounds of an answer in the text.
std::vector<Segment> make_segments(const ReadingView& view, const Pass& pass) {
  if (pass.over_question)
    return join_words(view.reading.question_words, pass.steps, pass, view.spec, {});
  return join_words(view.reading.words, pass.steps, pass, view.spec, view.reading.answer);
}

}  // namespace

std::string marked_text(const ReadingView& view, Style style) {
  const Trace& trace = view.reading.trace;
  if (trace.empty()) return mark(view.text, {}, {}, style);
  const auto one = [&](const Pass& pass) {
    if (pass.over_question) return mark(view.question, make_segments(view, pass), Answer{}, style);
    return mark(view.text, make_segments(view, pass), view.reading.answer, style) +
           mark_question(view, pass, style);
  };
  if (!view.spec.is_extractive() || trace.size() == 1) return one(trace.front());
  std::string out;
  for (const Pass& pass : trace) {
    const double rate = skim_rate({pass});
    out += (out.empty() ? "" : "\n\n") + pass.reader + ", " + format_percent(rate, 0) +
           " skimmed:\n" + one(pass);
  }
  return out;
}

std::string short_answer(const Reading& reading, const ModelSpec& spec) {
  return printable(spec.output == OutputActivation::sigmoid ? label_list(reading, spec)
                                                            : reading.answer.text);
}

std::string answer_line(const Reading& reading, const ModelSpec& spec) {
  std::string line = short_answer(reading, spec);
  if (spec.output != OutputActivation::softmax) return line;
  return line + "\t" + format_number(static_cast<double>(reading.answer.score), 4);
}

std::string summary_line(const ReadingView& view) {
  const Reading& reading = view.reading;
  const std::size_t words = reading.words.size();
  std::string line = is_abstained(view) ? "abstained: " : "";
  line += answer_with_score(reading, view.spec);
  line += ", read " + std::to_string(count_words_read(reading)) + " of " + std::to_string(words) +
          (words == 1 ? " word (" : " words (") + format_number(skim_rate(reading.trace) * 100, 1) +
          "% skimmed";
  if (reading.unseen_words() > 0)
    line += ", " + format_number(unseen_share(reading) * 100, 1) + "% never looked at";
  if (reading.trace.size() > 1) line += " in " + std::to_string(reading.trace.size()) + " passes";
  line += "), " + format_work(reading.costs.counted);
  if (view.warm_microseconds) line += ", " + format_time(*view.warm_microseconds) + " warm";
  return line + ", " + format_time(view.microseconds) + " first";
}

}  // namespace skim::cli

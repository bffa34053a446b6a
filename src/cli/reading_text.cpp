#include <algorithm>

#include "cli/html.h"
#include "cli/output.h"
#include "cli/reading_view.h"

namespace skim::cli {
namespace {

constexpr std::string_view kBright = "\x1b[1m", kDim = "\x1b[2m", kUsual = "\x1b[22m";
// Bright, dim and usual words within leave the answer's colours alone.
constexpr std::string_view kAnswer = "\x1b[30;42m", kAfterAnswer = "\x1b[0m";

void append_marked(std::string_view text, Look look, Ink ink, std::string& out) {
  if (ink == Ink::plain) {
    out += look == Look::read ? "[" + printable_lines(text) + "]" : printable_lines(text);
    return;
  }
  out += look == Look::read ? kBright : look == Look::skimmed ? kDim : std::string_view{};
  out += printable_lines(text);
  if (look != Look::between) out += kUsual;
}

// Line ends of any system as one newline: a bare carriage return would be shown as an escape.
std::string with_plain_line_ends(std::string_view text) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), '\r'), out.end());
  return out;
}

// "5.8x less work", or how much more when reading all costs the decisions on top.
std::string work_text(const Cost& cost) {
  const double reduction = cost.reduction();
  if (reduction >= 1) return number_text(reduction, reduction < 10 ? 1 : 0) + "x less work";
  return number_text((1 / reduction - 1) * 100, 0) + "% more work than plain";
}

}  // namespace

Look look_of(const Step& step, const Pass& pass, const ModelSpec& spec) {
  if (step.width >= pass.hidden) return Look::read;
  return step.width > spec.reader.least() ? Look::between : Look::skimmed;
}

namespace {

// Neighbouring words of one look together; none reaches over `cuts`.
std::vector<Stretch> joined(std::span<const Word> words, std::span<const Step> steps,
                            const Pass& pass, const ModelSpec& spec, const Answer& cuts) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Look look = look_of(steps[i], pass, spec);
    const bool at_cut =
        cuts.begin < cuts.end && (words[i].begin == cuts.begin || words[i].begin >= cuts.end);
    const bool over = at_cut && !stretches.empty() && stretches.back().begin < cuts.end;
    if (!stretches.empty() && stretches.back().look == look && !over) {
      stretches.back().end = words[i].end;
    } else {
      stretches.push_back({words[i].begin, words[i].end, look});
    }
  }
  return stretches;
}

// `text` with its stretches marked and the answer set off.
std::string marked(std::string_view text, const std::vector<Stretch>& stretches,
                   const Answer& answer, Ink ink) {
  const std::string_view open = ink == Ink::plain ? "<<" : kAnswer;
  const std::string_view close = ink == Ink::plain ? ">>" : kAfterAnswer;
  const bool there = answer.begin < answer.end;
  std::string out;
  std::size_t at = 0;
  const auto gap = [&](std::size_t end) {
    out += printable_lines(with_plain_line_ends(text.substr(at, end - at)));
  };
  for (const Stretch& stretch : stretches) {
    gap(stretch.begin);
    if (there && stretch.begin == answer.begin) out += open;
    append_marked(with_plain_line_ends(text.substr(stretch.begin, stretch.end - stretch.begin)),
                  stretch.look, ink, out);
    if (there && stretch.end == answer.end) out += close;
    at = stretch.end;
  }
  gap(text.size());
  return out;
}

// What the reader read of a question that it took for more text.
std::string marked_question(const ReadingView& view, const Pass& pass, Ink ink) {
  const std::size_t words = view.reading.words.size();
  if (pass.steps.size() == words) return {};
  const auto steps = std::span(pass.steps).subspan(words);
  return "\n" + marked(view.question,
                       joined(view.reading.question_words, steps, pass, view.spec, {}), {}, ink);
}

}  // namespace

std::vector<Stretch> stretches_of(const ReadingView& view, const Pass& pass) {
  if (pass.of_question) return joined(view.reading.question_words, pass.steps, pass, view.spec, {});
  return joined(view.reading.words, pass.steps, pass, view.spec, view.reading.answer);
}

std::string marked_text(const ReadingView& view, Ink ink) {
  const Trace& trace = view.reading.trace;
  if (trace.empty()) return marked(view.text, {}, {}, ink);
  const auto one = [&](const Pass& pass) {
    if (pass.of_question) return marked(view.question, stretches_of(view, pass), Answer{}, ink);
    return marked(view.text, stretches_of(view, pass), view.reading.answer, ink) +
           marked_question(view, pass, ink);
  };
  if (!view.spec.finds_pieces() || trace.size() == 1) return one(trace.front());
  std::string out;
  for (const Pass& pass : trace) {
    const double rate = skim_rate({pass});
    out += (out.empty() ? "" : "\n\n") + pass.reader + ", " + percent_text(rate, 0) +
           " skimmed:\n" + one(pass);
  }
  return out;
}

std::string figures_line(const ReadingView& view) {
  const Reading& reading = view.reading;
  const std::size_t words = reading.words.size();
  std::string line = printable(reading.answer.text) + " " +
                     number_text(static_cast<double>(reading.answer.score) * 100, 1) + "%";
  line += ", read " + std::to_string(words_read(reading)) + " of " + std::to_string(words) +
          (words == 1 ? " word (" : " words (") + number_text(skim_rate(reading.trace) * 100, 1) +
          "% skimmed";
  if (reading.trace.size() > 1) line += " in " + std::to_string(reading.trace.size()) + " passes";
  line += "), " + work_text(reading.costs.counted);
  return line + ", " + number_text(view.microseconds, view.microseconds < 10 ? 1 : 0) + " us";
}

}  // namespace skim::cli

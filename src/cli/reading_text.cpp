#include <algorithm>

#include "cli/html.h"
#include "cli/output.h"
#include "cli/reading_view.h"

namespace skim::cli {
namespace {

constexpr std::string_view kBright = "\x1b[1m", kDim = "\x1b[2m", kUsual = "\x1b[0m";

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

std::vector<Stretch> stretches_of(const ReadingView& view) {
  std::vector<Stretch> stretches;
  if (view.reading.trace.empty()) return stretches;
  const Pass& pass = view.reading.trace.front();
  for (std::size_t i = 0; i < view.reading.words.size(); ++i) {
    const Word word = view.reading.words[i];
    const Look look = look_of(pass.steps[i], pass, view.spec);
    if (!stretches.empty() && stretches.back().look == look) {
      stretches.back().end = word.end;
    } else {
      stretches.push_back({word.begin, word.end, look});
    }
  }
  return stretches;
}

std::string marked_text(const ReadingView& view, Ink ink) {
  std::string out;
  std::size_t at = 0;
  const auto gap = [&](std::size_t end) {
    out += printable_lines(with_plain_line_ends(view.text.substr(at, end - at)));
  };
  for (const Stretch& stretch : stretches_of(view)) {
    gap(stretch.begin);
    append_marked(
        with_plain_line_ends(view.text.substr(stretch.begin, stretch.end - stretch.begin)),
        stretch.look, ink, out);
    at = stretch.end;
  }
  gap(view.text.size());
  return out;
}

std::size_t words_read(const Reading& reading) {
  if (reading.trace.empty()) return 0;
  const Pass& pass = reading.trace.front();
  return static_cast<std::size_t>(
      std::count_if(pass.steps.begin(), pass.steps.end(),
                    [&pass](const Step& step) { return step.width >= pass.hidden; }));
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

#include <algorithm>
#include <numeric>

#include "cli/html.h"
#include "cli/reading_view.h"
#include "skim/version.h"

namespace skim::cli {
namespace {

constexpr std::string_view kReadingStyle = R"css(<style>
.text{font:1.12rem/1.85 Georgia,"Iowan Old Style","Times New Roman",serif;white-space:pre-wrap;overflow-wrap:anywhere;margin:0;color:var(--soft)}
.text mark{background:var(--mark);color:var(--mark-style);font-weight:700;border-radius:3px;padding:.05em .1em;box-shadow:inset 0 -2px var(--mark-line)}
.text i{font-style:normal}.text i.between{color:var(--style);border-bottom:1px dotted var(--mark-line)}
.text .answer{font-weight:inherit;outline:2px solid var(--c0);outline-offset:2px;border-radius:3px}
.text [data-p]{position:relative}
.text [data-p]:hover::after{content:attr(data-p);position:absolute;left:50%;bottom:calc(100% + .2rem);transform:translateX(-50%);z-index:1;
background:var(--style);color:var(--card);font:500 .8rem/1.3 system-ui,sans-serif;padding:.25rem .55rem;border-radius:6px;white-space:nowrap;pointer-events:none}
@media(max-width:40rem){.text [data-p]:hover::after{position:fixed;bottom:1rem;font-size:1rem}}
.legend{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;color:var(--soft);font-size:.9rem;margin:0 0 1rem;padding:0;list-style:none}
.legend .text{font-size:1rem;line-height:1.4;margin-right:.35em}
.scores{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}
.scores li{display:grid;grid-template-columns:minmax(4rem,26%) 1fr 4.5rem;gap:.8rem;align-items:center}
.scores .label{overflow-wrap:anywhere}.scores .top{font-weight:650}
.scores .bar{height:.8rem;border-radius:4px;background:var(--grid);overflow:hidden}
.scores .bar b{display:block;height:100%;background:var(--c0);border-radius:4px;min-width:1px}
.scores .value{text-align:right;font-variant-numeric:tabular-nums}
.passes{border:0;margin:0;padding:0;min-width:0}
.passes legend{padding:0;font-size:.9rem;color:var(--soft);margin-bottom:.4rem}
.passes>input{position:absolute;opacity:0;pointer-events:none}
.passes>label{display:inline-block;padding:.25rem .8rem;margin:0 .35rem .9rem 0;border:1px solid var(--line);border-radius:99px;cursor:pointer;font-size:.9rem}
.passes>input:checked+label{background:var(--style);color:var(--card);border-color:var(--style)}
.passes>input:focus-visible+label{outline:2px solid var(--c0);outline-offset:2px}
.passes>.pass{display:none}
.strip{display:block;width:100%;height:3.6rem;margin:1.2rem 0 0;border-bottom:1px solid var(--line)}
.strip .r{stroke:var(--mark-line)}.strip .s{stroke:var(--soft);opacity:.55}.strip .t{stroke:var(--style);stroke-dasharray:4 4;opacity:.6}
.strip path,.strip line{vector-effect:non-scaling-stroke}
</style>
)css";

constexpr std::size_t kLabelsShown = 12;

// Shows the width only when there are more than two levels.
std::string tooltip(const Step& step, const ModelSpec& spec) {
  const std::string p_read = "p_read " + format_number(static_cast<double>(step.p_read), 2);
  const bool many = spec.reader.levels() > 2 || spec.reader.kind == ReaderKind::vcrnn;
  return many ? p_read + ", " + std::to_string(step.width) + " units" : p_read;
}

std::string word_html(std::string_view word, const Step& step, WordClass word_class,
                      const ModelSpec& spec) {
  const std::string data = " data-p=\"" + tooltip(step, spec) + "\"";
  if (word_class == WordClass::read) return "<mark" + data + ">" + escape_html(word) + "</mark>";
  const std::string css = word_class == WordClass::between ? " class=\"between\"" : "";
  return "<i" + css + data + ">" + escape_html(word) + "</i>";
}

// `first` is the index of the first word's step. Marks the answer span, if any.
std::string words_html(const ReadingView& view, const Pass& pass, std::string_view text,
                       std::span<const TokenSpan> words, std::size_t first, const Answer& answer) {
  const bool has_span = answer.begin < answer.end;
  std::string html = "<p class=\"text\">";
  std::size_t at = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [begin, end] = words[i];
    const Step& step = pass.steps[first + i];
    html += escape_html(text.substr(at, begin - at));
    if (has_span && begin == answer.begin) html += "<b class=\"answer\">";
    html += word_html(text.substr(begin, end - begin), step, classify_step(step, pass, view.spec),
                      view.spec);
    if (has_span && end == answer.end) html += "</b>";
    at = end;
  }
  return html + escape_html(text.substr(at)) + "</p>\n";
}

std::string pass_text(const ReadingView& view, const Pass& pass) {
  const Reading& reading = view.reading;
  if (pass.over_question)
    return words_html(view, pass, view.question, reading.question_words, 0, {});
  std::string html = words_html(view, pass, view.text, reading.words, 0, reading.answer);
  const std::size_t words = reading.words.size();
  if (pass.steps.size() > words)
    html += words_html(view, pass, view.question, reading.question_words, words, {});
  return html;
}

// One bar per word with the height of p_read.
std::string strip_html(const ReadingView& view, const Pass& pass) {
  if (pass.steps.size() < 2) return {};
  std::string read, skimmed;
  for (std::size_t i = 0; i < pass.steps.size(); ++i) {
    const Step& step = pass.steps[i];
    std::string& path = step.width >= pass.hidden_size ? read : skimmed;
    path += "M" + std::to_string(i) + ".5 100V" +
            format_number(100 - 98 * static_cast<double>(step.p_read), 0);
  }
  const double bar = std::clamp(500.0 / static_cast<double>(pass.steps.size()), 1.0, 8.0);
  const std::string width = " stroke-width=\"" + format_number(bar, 1) + "\"";
  std::string svg = "<svg class=\"strip\" viewBox=\"0 0 " + std::to_string(pass.steps.size()) +
                    " 100\" preserveAspectRatio=\"none\" role=\"img\" "
                    "aria-label=\"p_read of every word, from the first to the last\">";
  svg += "<path class=\"s\"" + width + " d=\"" + skimmed + "\"/><path class=\"r\"" + width +
         " d=\"" + read + "\"/>";
  if (view.policy.rule == Policy::Rule::threshold) {
    const std::string y = format_number(100 - 98 * static_cast<double>(view.policy.threshold), 1);
    svg += "<line class=\"t\" x1=\"0\" x2=\"" + std::to_string(pass.steps.size()) + "\" y1=\"" + y +
           "\" y2=\"" + y + "\"/>";
  }
  return svg + "</svg>\n";
}

// Several passes are selected by radio buttons, which need no script.
std::string passes_html(const ReadingView& view) {
  const Trace& trace = view.reading.trace;
  if (trace.size() == 1) return pass_text(view, trace[0]) + strip_html(view, trace[0]);
  std::string buttons, panels, style = "<style>";
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::string id = "pass" + std::to_string(i);
    buttons += "<input type=\"radio\" name=\"pass\" id=\"" + id + "\"" +
               (i == 0 ? " checked" : "") + "><label for=\"" + id + "\">" +
               escape_html(trace[i].reader) + "</label>";
    panels += "<div class=\"pass of-" + id + "\">" + pass_text(view, trace[i]) +
              strip_html(view, trace[i]) + "</div>\n";
    style += "#" + id + ":checked~.of-" + id + "{display:block}";
  }
  return style + "</style>\n<fieldset class=\"passes\"><legend>Layer and direction</legend>" +
         buttons + "\n" + panels + "</fieldset>\n";
}

std::string legend_html(const ReadingView& view) {
  std::string html =
      "<ul class=\"legend\"><li><span class=\"text\"><mark>read</mark></span> the whole state was "
      "updated</li><li><span class=\"text\"><i>skimmed</i></span> ";
  const int min_width = view.spec.reader.min_width();
  html += min_width == 0 ? "skipped" : "only " + std::to_string(min_width) + " units were updated";
  html += "</li>";
  if (view.spec.reader.levels() > 2 || view.spec.reader.kind == ReaderKind::vcrnn) {
    html +=
        "<li><span class=\"text\"><i class=\"between\">between</i></span> some of the units were "
        "updated</li>";
  }
  return html + "</ul>\n";
}

std::string scores_html(const ReadingView& view) {
  if (view.spec.is_extractive()) return {};
  const auto& scores = view.reading.scores;
  const std::span<const std::string> among =
      view.spec.net == NetKind::classifier ? view.spec.labels : view.choices;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&scores](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::string html = "<section><h2>Scores</h2><ol class=\"scores\">\n";
  for (std::size_t i = 0; i < std::min(order.size(), kLabelsShown); ++i) {
    const auto score = static_cast<double>(scores[order[i]]);
    html += "<li><span class=\"label" + std::string(i == 0 ? " top" : "") + "\">" +
            escape_html(among[order[i]]) +
            "</span><span class=\"bar\" aria-hidden=\"true\"><b style=\"width:" +
            format_number(score * 100, 2) + "%\"></b></span><span class=\"value\">" +
            format_percent(score, 1) + "</span></li>\n";
  }
  html += "</ol>";
  if (order.size() > kLabelsShown) {
    html += "<p class=\"note\">and " + std::to_string(order.size() - kLabelsShown) +
            " labels with lower scores</p>";
  }
  return html + "</section>\n";
}

std::string times_text(double factor) {
  return format_number(factor, factor < 10 ? 1 : 0) + "\u00D7";
}

std::vector<Figure> make_figures(const ReadingView& view) {
  const Reading& reading = view.reading;
  return {
      {std::to_string(count_words_read(reading)) + " of " + std::to_string(reading.words.size()),
       reading.trace.size() > 1 ? "words read in full, first pass" : "words read in full"},
      {format_percent(skim_rate(reading.trace), 1), "skimmed"},
      {times_text(reading.costs.counted.reduction()), "less work, all FLOPs counted"},
      {times_text(reading.costs.executed.reduction()), "less work in this engine"},
      {format_number(view.microseconds, view.microseconds < 10 ? 1 : 0) + " \u00B5s",
       "from text to answer"}};
}

std::string policy_text(const Policy& policy) {
  if (policy.rule == Policy::Rule::argmax) return "most likely level of every word";
  if (policy.rule == Policy::Rule::sample) {
    return "decisions sampled with seed " + std::to_string(policy.seed);
  }
  return "a word is read when p_read > " + format_number(static_cast<double>(policy.threshold), 2);
}

}  // namespace

std::string reading_page(const ReadingView& view) {
  const Answer& answer = view.reading.answer;
  Page page;
  page.title = "skim: " + answer.text;
  page.kicker = "skim read";
  page.heading = escape_html(answer.text) + " <small>" +
                 format_percent(static_cast<double>(answer.score), 1) + "</small>";
  page.body = std::string(kReadingStyle) + figures_html(make_figures(view));
  if (!view.question.empty()) page.body += "<p>" + escape_html(view.question) + "</p>\n";
  page.body +=
      "<section><h2>What was read</h2>\n" + legend_html(view) + passes_html(view) +
      "<p class=\"note\">Hover over a word to see p_read, the probability that the model reads it; "
      "below the text, one bar per word. Policy: " +
      escape_html(policy_text(view.policy)) + ".</p></section>\n";
  page.body += scores_html(view);
  page.footer = "skim " SKIM_VERSION ", model " + std::string(view.model);
  return render_page(page);
}

}  // namespace skim::cli

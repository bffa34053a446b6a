#include "cli/html.h"

#include <cstdio>

#include "cli/output.h"

namespace skim::cli {
namespace {

// All colours have a contrast of at least 4.5:1 on their background in both modes. The categorical
// ones (c0 ...) are distinguishable for colour-blind readers.
constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#faf9f6;--card:#fff;--ink:#1f1d1a;--soft:#625e56;--line:#dedad1;--grid:#eae7e0;
--mark:#ffe3a3;--mark-ink:#241a00;--mark-line:#a86500;--accent:#8a4b00;
--c0:#0b5fa5;--c1:#b34700;--c2:#1d7a4f;--c3:#93358f;--c4:#6d6200;--c5:#4a55b8;--shadow:0 1px 2px #0001,0 4px 16px #0000000d}
@media(prefers-color-scheme:dark){:root{--bg:#141517;--card:#1c1e21;--ink:#ecebe7;--soft:#a5a29a;--line:#36383d;--grid:#2a2c30;
--mark:#5d4408;--mark-ink:#fff1cc;--mark-line:#e2a93b;--accent:#f0b657;
--c0:#6cb4f5;--c1:#ff9d5c;--c2:#5fcf96;--c3:#e592e0;--c4:#d3c54a;--c5:#a3abff;--shadow:none}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:58rem;margin:0 auto;padding:2.5rem 1.25rem 3rem}
.kicker{margin:0;color:var(--accent);font-weight:600;letter-spacing:.04em}
h1{margin:.1rem 0 1.4rem;font-size:clamp(1.6rem,5vw,2.3rem);line-height:1.2;overflow-wrap:anywhere}
h1 small{font-size:.6em;font-weight:500;color:var(--soft);white-space:nowrap}
h2{margin:0 0 .8rem;font-size:1.05rem}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.25rem 1.4rem;margin:0 0 1.1rem;box-shadow:var(--shadow)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:1rem 1.5rem;margin:0}
.figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
.figures dd{margin:0;font-size:1.45rem;font-weight:650;font-variant-numeric:tabular-nums;line-height:1.25}
.figures dt{color:var(--soft);font-size:.9rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .55rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th{color:var(--soft);font-weight:600;border-bottom-color:var(--line)}
th:first-child,td:first-child{text-align:left;padding-left:0}
tbody tr:last-child td{border-bottom:0}
footer{color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
mark{background:var(--mark);color:var(--mark-ink);border-radius:3px;padding:.05em .1em}
.note{color:var(--soft);font-size:.9rem;margin:.8rem 0 0}
@media(max-width:30rem){main{padding:1.5rem .8rem}section{padding:1rem}}
)css";

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string render_page(const Page& page) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text += "<title>" + escape_html(page.title) + "</title>\n<style>" + std::string(kPageStyle) +
          "</style>\n</head>\n<body>\n<main>\n";
  text +=
      "<p class=\"kicker\">" + escape_html(page.kicker) + "</p>\n<h1>" + page.heading + "</h1>\n";
  text += page.body;
  text += "<footer>" + escape_html(page.footer) + "</footer>\n</main>\n</body>\n</html>\n";
  return text;
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string text = "<section><dl class=\"figures\">\n";
  for (const Figure& figure : figures) {
    text += "<div><dt>" + escape_html(figure.label) + "</dt><dd>" + escape_html(figure.value) +
            "</dd></div>\n";
  }
  return text + "</dl></section>\n";
}

std::string format_number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string format_percent(double share, int decimals) {
  return format_number(share * 100, decimals) + " %";
}

}  // namespace skim::cli

"""A reading as a piece of HTML for notebooks: no scripts, nothing fetched, light and dark."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, List, Sequence

if TYPE_CHECKING:
    from ._reading import Pass, Reading, Word

# A notebook keeps what it shows; a book in it would make it unusable.
MOST_WORDS = 3000
MOST_LABELS = 12

TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.7;margin:.4em 0"
READ = "background:#ffe28a;color:#222;font-weight:600;border-radius:3px;padding:0 .1em"
BETWEEN = "border-bottom:1px dotted currentColor"
SKIMMED = "opacity:.6"
ANSWER = "outline:2px solid #4a7bd0;outline-offset:2px;border-radius:3px"


def reading_html(reading: Reading, least: int, many_widths: bool) -> str:
    passes = list(reading.passes)
    parts = [f'<div class="skim-reading"><p><b>{html.escape(reading.label)}</b> {reading.score:.1%}'
             f'<span style="{SKIMMED}"> &middot; {figures(reading)}</span></p>']
    if reading.question:
        parts.append(f'<p><i>{html.escape(reading.question)}</i></p>')
    for number, one in enumerate(passes):
        body = pass_html(reading, one, least, many_widths)
        if number == 0:
            parts.append(body)
        else:
            parts.append(f"<details><summary>{html.escape(one.reader)}, {one.over}</summary>{body}</details>")
    return "".join(parts) + scores_html(reading) + "</div>"


def figures(reading: Reading) -> str:
    read = sum(word.read for word in reading.words)
    counted = reading.flop_reduction["counted"]
    return f"read {read} of {len(reading.words)} words, {reading.skim_rate:.1%} skimmed, {counted:.1f}&times; less work"


def pass_html(reading: Reading, one: Pass, least: int, many_widths: bool) -> str:
    """The text, or the question, as this pass went over it; a question that it went on to follows the text."""
    of_question = one.over == "question"
    text, words = (reading.question, reading.question_words) if of_question else (reading.text, reading.words)
    shown = text_html(text, words, looks(one, 0, least, many_widths), reading, not of_question)
    if not of_question and len(one.widths) > len(words):
        shown += text_html(reading.question, reading.question_words, looks(one, len(words), least, many_widths), reading,
                           False)
    return shown


def looks(one: Pass, first: int, least: int, many_widths: bool) -> List[str]:
    """The attributes of each word from step `first` on."""
    made = []
    for width, p_read in zip(one.widths[first:first + MOST_WORDS].tolist(), one.p_read[first:first + MOST_WORDS].tolist()):
        style = READ if width >= one.hidden else BETWEEN if width > least else SKIMMED
        units = f", {width} units" if many_widths else ""
        made.append(f' style="{style}" title="p_read {p_read:.2f}{units}"')
    return made


def text_html(text: str, words: Sequence[Word], attributes: Sequence[str], reading: Reading, has_answer: bool) -> str:
    answer = reading.answer
    marked = has_answer and answer.begin is not None and answer.begin != answer.end
    parts, at = [f'<div style="{TEXT}">'], 0
    for word, attribute in zip(words, attributes):
        parts.append(html.escape(text[at:word.begin]))
        if marked and word.begin == answer.begin:
            parts.append(f'<span style="{ANSWER}">')
        parts.append(f"<span{attribute}>{html.escape(word.text)}</span>")
        if marked and word.end == answer.end:
            parts.append("</span>")
        at = word.end
    left = len(words) - min(len(words), len(attributes))
    parts.append(f" &hellip; and {left} words more" if left else html.escape(text[at:]))
    return "".join(parts) + "</div>"


def scores_html(reading: Reading) -> str:
    best = sorted(reading.scores.items(), key=lambda pair: -pair[1])[:MOST_LABELS]
    rows = "".join(f"<tr><td>{html.escape(label)}</td><td>{score:.1%}</td></tr>" for label, score in best)
    return f'<table style="color:inherit">{rows}</table>' if rows else ""

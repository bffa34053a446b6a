"""Readings as HTML for notebooks: no scripts, no external resources, readable in light and dark themes."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, List, Sequence

if TYPE_CHECKING:
    from ._reading import Pass, Reading, Word

# Notebooks store their output, so long texts are truncated.
MAX_WORDS = 3000
MAX_LABELS = 12

TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.7;margin:.4em 0"
READ = "background:#ffe28a;color:#222;font-weight:600;border-radius:3px;padding:0 .1em"
BETWEEN = "border-bottom:1px dotted currentColor"
SKIMMED = "opacity:.6"
ANSWER = "outline:2px solid #4a7bd0;outline-offset:2px;border-radius:3px"


def reading_html(reading: Reading, min_width: int, has_many_widths: bool) -> str:
    passes = list(reading.passes)
    parts = [f'<div class="skim-reading"><p>{answer_html(reading)}'
             f'<span style="{SKIMMED}"> &middot; {summary(reading)}</span></p>']
    if reading.question:
        parts.append(f'<p><i>{html.escape(reading.question)}</i></p>')
    for index, each in enumerate(passes):
        body = pass_html(reading, each, min_width, has_many_widths)
        if index == 0:
            parts.append(body)
        else:
            parts.append(f"<details><summary>{html.escape(each.reader)}, {each.over}</summary>{body}</details>")
    return "".join(parts) + scores_html(reading) + "</div>"


def answer_html(reading: Reading) -> str:
    """The label with its score, the labels of a multi-label model, or the number."""
    if reading.value is not None:
        return f"<b>{html.escape(reading.label)}</b>"
    if reading._model.output == "sigmoid":
        scores = reading.scores
        labels = [f"<b>{html.escape(label)}</b> {scores[label]:.1%}" for label in reading.labels]
        return ", ".join(labels) or "no label"
    return f"<b>{html.escape(reading.label)}</b> {reading.score:.1%}"


def summary(reading: Reading) -> str:
    read = sum(word.read for word in reading.words)
    counted = reading.flop_reduction["counted"]
    return f"read {read} of {len(reading.words)} words, {reading.skim_rate:.1%} skimmed, {counted:.1f}&times; less work"


def pass_html(reading: Reading, reader_pass: Pass, min_width: int, has_many_widths: bool) -> str:
    """The text or the question with the decisions of this pass; a cloze pass shows the text, then the question."""
    over_question = reader_pass.over == "question"
    text, words = (reading.question, reading.question_words) if over_question else (reading.text, reading.words)
    attributes = word_attributes(reader_pass, 0, min_width, has_many_widths)
    shown = text_html(text, words, attributes, reading, not over_question)
    if not over_question and len(reader_pass.widths) > len(words):
        attributes = word_attributes(reader_pass, len(words), min_width, has_many_widths)
        shown += text_html(reading.question, reading.question_words, attributes, reading, False)
    return shown


def word_attributes(reader_pass: Pass, first: int, min_width: int, has_many_widths: bool) -> List[str]:
    """The HTML attributes of each word, from step `first` on."""
    attributes = []
    steps = slice(first, first + MAX_WORDS)
    for width, p_read in zip(reader_pass.widths[steps].tolist(), reader_pass.p_read[steps].tolist()):
        style = READ if width >= reader_pass.hidden_size else BETWEEN if width > min_width else SKIMMED
        units = f", {width} units" if has_many_widths else ""
        attributes.append(f' style="{style}" title="p_read {p_read:.2f}{units}"')
    return attributes


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
    best = sorted(reading.scores.items(), key=lambda pair: -pair[1])[:MAX_LABELS]
    rows = "".join(f"<tr><td>{html.escape(label)}</td><td>{score:.1%}</td></tr>" for label, score in best)
    return f'<table style="color:inherit">{rows}</table>' if rows else ""

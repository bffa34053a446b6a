"""SVG pictures of how a model reads: a review for the README, passages layer by layer for the report."""
import html
from typing import Iterator

from .fields import Json
from .readings import pieces, words_read

MONOSPACE = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'


def svg(width: float, height: float, label: str, style: str, page: str, body: list[str]) -> str:
    lines = "\n".join(f"  {line}" for line in body)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" \
viewBox="0 0 {width:.0f} {height:.0f}" role="img"
     aria-label="{html.escape(label)}">
  <style>
{style}
  </style>
  <rect class="page" {page}/>
{lines}
</svg>
"""


class ReviewPicture:
    """A text of which the read words are bright and the others dim, with a line of figures below."""
    WIDTH, LINE, EDGE, COLUMNS = 800, 26, 24, 73
    STYLE = f"""    .page {{ fill: #10141a; }}
    text {{ font: 17px {MONOSPACE}; fill: #66707d; }}
    .read {{ fill: #ffd479; font-weight: 700; }}
    .figures {{ font-size: 14px; fill: #9fb3c8; }}"""

    def __init__(self, text: str, reading: Json):
        self.reading = reading
        self.lines = list(self.broken(text))

    def broken(self, text: str) -> Iterator[list[tuple[str, bool]]]:
        """Characters with whether they were read, broken at blanks."""
        marked = [(" " if letter.isspace() else letter, read)
                  for piece, read in pieces(text.rstrip(), self.reading) for letter in piece]
        while len(marked) > self.COLUMNS:
            at = max(i for i in range(self.COLUMNS + 1) if marked[i][0] == " ")
            yield marked[:at]
            marked = marked[at + 1:]
        yield marked

    @staticmethod
    def spans(line: list[tuple[str, bool]]) -> str:
        out, inside = "", False
        for letter, read in line:
            if read != inside:
                out += '<tspan class="read">' if read else "</tspan>"
            inside = read
            out += html.escape(letter, quote=False)
        return out + ("</tspan>" if inside else "")

    def figures(self) -> str:
        found, words = self.reading, len(self.reading["words"])
        answer, less = found["answer"], found["flop_reduction"]["counted"]
        return (f"{answer['text']} {100 * answer['score']:.1f} %, read {words_read(found)} of {words} words "
                f"({100 * found['skim_rate']:.0f} % skimmed), {less:.1f}x less work")

    def svg(self) -> str:
        height = 12 + self.LINE * len(self.lines) + 20 + self.LINE
        body = [f'<text x="{self.EDGE}" y="{12 + self.LINE * (i + 1)}">{self.spans(line)}</text>'
                for i, line in enumerate(self.lines)]
        body.append(f'<text class="figures" x="{self.EDGE}" y="{height - 20}">{html.escape(self.figures())}</text>')
        read, words = words_read(self.reading), len(self.reading["words"])
        label = f"A review in which {read} of {words} words are bright and the rest dim"
        return svg(self.WIDTH, height, label, self.STYLE, f'width="{self.WIDTH}" height="{height}" rx="10"', body)


class PassagePicture:
    """A passage at several thresholds; under each word one bar per pass, dark where that pass read the word."""
    COLUMNS, LETTER, EDGE, LINE, BAR, GAP = 92, 8.4, 20, 22, 4, 2
    STYLE = f"""    .page {{ fill: #ffffff; }}
    text {{ font: 14px {MONOSPACE}; fill: #333a44; }}
    .head {{ font-weight: 700; fill: #10141a; }}
    .answer {{ font-weight: 700; fill: #0b5fa5; }}
    .read {{ fill: #0b5fa5; }}
    .skimmed {{ fill: #d9dee5; }}"""

    def __init__(self) -> None:
        self.body: list[str] = []
        self.height = float(self.EDGE)

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        mark = f' class="{kind}"' if kind else ""
        self.body.append(f'<text x="{x:.1f}" y="{y:.1f}"{mark}>{html.escape(words)}</text>')

    def heading(self, words: str) -> None:
        self.height += self.LINE
        self.text(self.EDGE, self.height, words, "head")

    def placed(self, words: list[Json]) -> Iterator[tuple[Json, int, int]]:
        """Each word with its line and column."""
        line = column = 0
        for word in words:
            if column + len(word["text"]) > self.COLUMNS:
                line, column = line + 1, 0
            yield word, line, column
            column += len(word["text"]) + 1

    def passage(self, reading: Json) -> None:
        passes, answer = text_passes(reading), reading["answer"]
        pitch = self.LINE + len(passes) * (self.BAR + self.GAP)
        top, lines = self.height + self.LINE, 0
        for i, (word, line, column) in enumerate(self.placed(reading["words"])):
            x, y = self.EDGE + column * self.LETTER, top + line * pitch
            inside = answer["begin"] <= word["begin"] and word["end"] <= answer["end"]
            self.text(x, y, word["text"], "answer" if inside else "")
            self.bars(x, y + 5, len(word["text"]) * self.LETTER - 1,
                      [one["steps"][i]["width"] == one["hidden_size"] for one in passes])
            lines = line + 1
        self.height = top + lines * pitch - 10

    def bars(self, x: float, y: float, width: float, read: list[bool]) -> None:
        for level, is_read in enumerate(read):
            kind, at = "read" if is_read else "skimmed", y + level * (self.BAR + self.GAP)
            self.body.append(f'<rect class="{kind}" x="{x:.1f}" y="{at:.1f}" width="{width:.1f}" height="{self.BAR}"/>')

    def svg(self, label: str) -> str:
        return svg(self.EDGE * 2 + self.COLUMNS * self.LETTER, self.height + self.EDGE, label, self.STYLE,
                   'width="100%" height="100%"', self.body)


def text_passes(reading: Json) -> list[Json]:
    """The passes over the passage, without those over the question."""
    return [one for one in reading["passes"] if one.get("over") != "question"]


def draw_passage(passage: Json, title: str, readings: list[tuple[float, Json]]) -> str:
    """One picture of a passage; `readings` are pairs of a threshold and what `skim read --json` printed."""
    picture = PassagePicture()
    picture.heading(f"{title}: {passage['question']}")
    picture.heading("bars from the top: " + ", ".join(one["reader"] for one in text_passes(readings[0][1])))
    for threshold, reading in readings:
        picture.heading(f"threshold {threshold:g}: {100 * reading['skim_rate']:.0f} % skimmed, "
                        f"{reading['flop_reduction']['counted']:.1f}x less work, \"{reading['answer']['text']}\"")
        picture.passage(reading)
    return picture.svg(f"{passage['title']}, read by {title}, at {len(readings)} thresholds")

"""A report as headings, paragraphs, tables, figures and marked texts, before it becomes Markdown or a page."""
import dataclasses
import html
import re
import textwrap
from typing import Iterable

COLUMNS = 120
STYLE = """:root{color-scheme:light dark}
body{margin:0 auto;max-width:75rem;padding:1.5rem;font:16px/1.5 system-ui,sans-serif}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid #8886;white-space:nowrap}
th:first-child,td:first-child{text-align:left}figure{margin:1rem 0}figure svg{max-width:100%;height:auto}
mark{background:#ffe3a3;color:#241a00;border-radius:3px}"""


@dataclasses.dataclass
class Table:
    header: list[str] = dataclasses.field(default_factory=list)
    rows: list[list[str]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Figure:
    """A drawing; `file` is its name in the folder of figures."""
    file: str
    title: str
    svg: str = ""


@dataclasses.dataclass(frozen=True)
class MarkedText:
    """A text in pieces, each with whether it stands out."""
    caption: str
    pieces: list[tuple[str, bool]]


@dataclasses.dataclass
class Section:
    heading: str
    paragraphs: list[str] = dataclasses.field(default_factory=list)  # `code` in backquotes
    table: Table = dataclasses.field(default_factory=Table)
    figures: list[Figure] = dataclasses.field(default_factory=list)
    texts: list[MarkedText] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Document:
    title: str
    audience: str  # one line: who this page is for
    paragraphs: list[str]
    sections: list[Section]


def wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def escape_markdown(text: str) -> str:
    return re.sub(r"([|*_<\\])", r"\\\1", text.replace("\n", " "))


def markdown_line(cells: Iterable[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in escaped) + "\n"


def markdown_table(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows] if table.header else []
    return "".join(map(markdown_line, lines))


def markdown_marked(text: MarkedText) -> str:
    pieces = (f"**{escape_markdown(piece)}**" if out else escape_markdown(piece) for piece, out in text.pieces)
    return wrap(f"- {escape_markdown(text.caption)}: " + "".join(pieces), "  ") + "\n"


def markdown_section(section: Section, figures: str) -> str:
    blocks = [f"## {section.heading}\n", *(wrap(one) + "\n" for one in section.paragraphs)]
    if section.table.header:
        blocks.append(markdown_table(section.table))
    blocks += [f"![{one.title}]({figures}/{one.file})\n" for one in section.figures]
    if section.texts:
        blocks.append("".join(map(markdown_marked, section.texts)))
    return "\n".join(blocks)


def to_markdown(document: Document, figures: str) -> str:
    """`figures` is the folder of the figures as seen from the Markdown file."""
    head = f"# {document.title}\n{wrap(document.audience)}\n"
    return "\n".join([head, *(wrap(one) + "\n" for one in document.paragraphs),
                      *(markdown_section(one, figures) for one in document.sections)])


def html_paragraph(text: str) -> str:
    parts = [html.escape(part) for part in text.split("`")]
    return "<p>" + "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts)) + "</p>\n"


def html_row(cells: Iterable[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell.replace('`', ''))}</{tag}>" for cell in cells) + "</tr>\n"


def html_table(table: Table) -> str:
    body = "".join(html_row(row, "td") for row in table.rows)
    return f'<div class="scroll"><table>\n{html_row(table.header, "th")}{body}</table></div>\n' if table.header else ""


def html_marked(text: MarkedText) -> str:
    pieces = (f"<mark>{html.escape(piece)}</mark>" if out else html.escape(piece) for piece, out in text.pieces)
    return f"<p><b>{html.escape(text.caption)}</b>: {''.join(pieces)}</p>\n"


def inline_svg(figure: Figure) -> str:
    """The drawing as an element: an XML declaration belongs to files alone."""
    at = figure.svg.find("<svg")
    return f"<figure>{figure.svg[at:]}</figure>\n" if at >= 0 else ""


def html_section(section: Section) -> str:
    return (f"<section><h2>{html.escape(section.heading)}</h2>\n" + "".join(map(html_paragraph, section.paragraphs))
            + html_table(section.table) + "".join(map(inline_svg, section.figures))
            + "".join(map(html_marked, section.texts)) + "</section>\n")


def to_html(document: Document) -> str:
    """One page with its drawings inside; it fetches nothing."""
    title = html.escape(document.title)
    body = "".join(map(html_paragraph, [document.audience, *document.paragraphs]))
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}"
            + "".join(map(html_section, document.sections)) + "</body>\n</html>\n")

"""The report of all experiments: our results beside the paper's."""
import dataclasses
import pathlib
from typing import Optional

from .document import Document, Figure, Section, to_html, to_markdown
from .figures import report_charts
from .peers import peer_sections
from .readings import passage_section, review_section
from .rows import Row, Rows
from .store import write_atomically
from .summary import RowSummary, summarize
from .tables import budget_section, options_section, result_sections, runs_section

AUDIENCE = "For readers of the Skim-RNN paper and maintainers: every table and figure, ours beside the paper's."
ABOUT = ("Written by `reproduction/report --markdown reproduction/results.md --figures reproduction/figures` from the "
         "stored runs in `reproduction/results`. Accuracy is on the test split, as the mean over the seeds with the "
         "lowest and highest; models are selected on dev alone. Flop-r, counted and executed are the three rules of "
         "docs/cost.md. Speed-up is measured from text to answer on one thread against the dense reader of the same "
         "size in this engine; the column beside it leaves out tokenization. Times are medians per text.")


@dataclasses.dataclass(frozen=True)
class Request:
    folder: pathlib.Path  # holds rows/, sets/ and results/
    reviews: Optional[pathlib.Path] = None
    skim: str = ""  # reads the reviews; without it they are left out
    draw: bool = False

    @property
    def results(self) -> pathlib.Path:
        return self.folder / "results"


def machines(summaries: list[RowSummary]) -> str:
    found: dict[str, None] = {}
    for summary in summaries:
        for run in summary.runs:
            machine = run["machine"]
            simd = f", {machine['simd']}" if machine["simd"] else ""
            found[f"{machine['cpu']}, {machine['cores']} cores{simd}"] = None
    return "; ".join(found)


def progress(rows: list[Row], summaries: list[RowSummary]) -> str:
    """How far the queue is, and on what machine."""
    wanted, run = sum(len(row.seeds) for row in rows), sum(len(one.runs) for one in summaries)
    text = f"All {wanted} runs are done" if run == wanted else \
        f"{run} of {wanted} runs are done; what is missing here has not been run yet"
    return text + (f". Machine: {machines(summaries)}." if run else ".")


def figure_sections(summaries: list[RowSummary], request: Request) -> list[Section]:
    figures = []
    for chart in report_charts(summaries, request.results):
        svg = ""
        if request.draw:
            from .drawing import draw  # matplotlib is needed for drawings alone
            svg = draw(chart)
        figures.append(Figure(f"{chart.file}.svg", chart.title, svg))
    return [Section("Figures", figures=figures)] if figures else []


def make_document(rows: Rows, chosen: list[Row], request: Request) -> Document:
    summaries = summarize(chosen, request.results)
    sections = result_sections(rows.sets.values(), summaries)
    budgets = budget_section(summaries)
    sections += [budgets] if budgets.table.rows else []
    sections += figure_sections(summaries, request) + peer_sections(request.results / "peers" / "texts.json")
    if request.reviews and request.skim:
        sections.append(review_section(request.skim, request.reviews))
    sections += passage_section(request.results / "passages")
    sections += [options_section(summaries), runs_section(summaries)]
    return Document("Results", AUDIENCE, [ABOUT, progress(chosen, summaries)], sections)


def write_figures(document: Document, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for section in document.sections:
        for figure in section.figures:
            write_atomically(folder / figure.file, figure.svg)


def write_report(document: Document, markdown: Optional[pathlib.Path], page: Optional[pathlib.Path],
                 figures: Optional[pathlib.Path]) -> str:
    """The report as Markdown, after all that was asked for has been written."""
    text = to_markdown(document, "figures")
    if figures:
        write_figures(document, figures)
    if markdown:
        write_atomically(markdown, text)
    if page:
        write_atomically(page, to_html(document))
    return text

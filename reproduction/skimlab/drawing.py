"""Draws charts as SVG with matplotlib. The same chart gives the same bytes with the same version of matplotlib."""
import io
import warnings

from .charts import Axis, Chart, Series
from .errors import LabError

# Distinguishable for colour-blind eyes; a contrast of at least 3 to 1 on white and on dark paper.
COLORS = ("#2b7bba", "#d1691b", "#2e9e6b", "#b355ad", "#94860f", "#6f78d6")
MARKERS = "os^Dv<>pX*"
SETTINGS = {"svg.hashsalt": "skim", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11,
            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#888888",
            "grid.alpha": 0.35,
            "axes.titlesize": 12, "legend.frameon": False}
# The page is white unless the viewer prefers dark: then page, ink and axes change together.
DARK = """<style>@media (prefers-color-scheme: dark) {
#page path { fill: #16181c !important } text { fill: #ecebe7 !important }
#xaxis path, #yaxis path, #xaxis use, #yaxis use, #spine-left path, #spine-bottom path { stroke: #a5a29a !important }
}</style>"""
LONG_NAME = 30
# Ticks per decade of a logarithmic axis; those of a narrow range stand closer.
COARSE, FINE = (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
WIDE = 5


def load_matplotlib():
    try:
        import matplotlib
    except ImportError as error:
        raise LabError("figures need matplotlib: install Debian's python3-matplotlib and run this with "
                       "/usr/bin/python3") from error
    matplotlib.use("svg")
    return matplotlib


def shown(axis: Axis, values: list[float]) -> list[float]:
    return [100 * value for value in values] if axis.unit == "%" else values


def draw_series(axes, chart: Chart, series: Series) -> None:
    color = COLORS[series.color % len(COLORS)]
    style = {"solid": "-", "dashed": "--", "none": ""}[series.line]
    marker = "" if series.line == "dashed" else MARKERS[series.color % len(MARKERS)]
    x, y = ([point[i] for point in series.points] for i in (0, 1))
    axes.plot(shown(chart.x, x), shown(chart.y, y), linestyle=style, marker=marker, markersize=4, color=color,
              linewidth=1.6, label=series.name)


def draw_axis(matplotlib, axes, name: str, axis: Axis) -> None:
    label = f"{axis.label} (%)" if axis.unit == "%" else axis.label
    getattr(axes, f"set_{name}label")(label)
    drawn = getattr(axes, f"{name}axis")
    drawn.set_gid(f"{name}axis")
    if axis.logarithmic:
        getattr(axes, f"set_{name}scale")("log")
        low, high = drawn.get_data_interval()
        steps = COARSE if high >= WIDE * low else FINE
        drawn.set_major_locator(matplotlib.ticker.LogLocator(base=10, subs=steps))
    if axis.logarithmic or axis.unit == "x":
        ending = "x" if axis.unit == "x" else ""
        drawn.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}{ending}"))
        drawn.set_minor_formatter(matplotlib.ticker.NullFormatter())


def draw(chart: Chart) -> str:
    """The chart as the text of an SVG file."""
    matplotlib = load_matplotlib()
    import matplotlib.figure
    import matplotlib.ticker
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fonts that this machine lacks: the viewer's are used
        columns = 1 if any(len(series.name) > LONG_NAME for series in chart.series) else 3
        figure = matplotlib.figure.Figure(figsize=(7.6, 4.4), layout="constrained")
        figure.patch.set_gid("page")
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_gid(f"spine-{side}")
        for series in chart.series:
            draw_series(axes, chart, series)
        axes.set_title(chart.title)
        for name, axis in (("x", chart.x), ("y", chart.y)):
            draw_axis(matplotlib, axes, name, axis)
        figure.legend(loc="upper center", ncol=columns, bbox_to_anchor=(0.5, 0))
        return with_dark_style(svg_text(figure))


def svg_text(figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def with_dark_style(svg: str) -> str:
    at = svg.index(">", svg.index("<svg")) + 1
    return svg[:at] + "\n " + DARK + svg[at:]

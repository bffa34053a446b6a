"""What the figures say: which rows no other beats, and which are faster than fastText at its accuracy. The table."""
# Accuracy that a fastText setting may lose against its best one and still count as a rival.
MARGIN = 0.005
FASTTEXT = "fastText"


def microseconds(row):
    return row["microseconds"]["min"]


def pareto(rows):
    """Names of the rows than which no other is faster and at least as accurate, or as fast and more accurate."""
    def beats(other, row):
        no_worse = microseconds(other) <= microseconds(row) and other["test_accuracy"] >= row["test_accuracy"]
        return no_worse and (microseconds(other), other["test_accuracy"]) != (microseconds(row), row["test_accuracy"])

    return {row["name"] for row in rows if not any(beats(other, row) for other in rows)}


def is_fasttext(row):
    return row["engine"].startswith(FASTTEXT)


def rivals(rows):
    """The fastText rows within MARGIN of the accuracy of the best of them, the fastest first."""
    found = [row for row in rows if is_fasttext(row)]
    # Accuracies are counts over the same texts: the margin is met exactly but for rounding.
    enough = max((row["test_accuracy"] for row in found), default=0) - MARGIN - 1e-9
    return sorted((row for row in found if row["test_accuracy"] >= enough), key=microseconds)


def faster_than_rivals(rows):
    """Names of the rows that are as accurate as the rivals must be, and faster than each of them, both in the median
    round and by the minima."""
    found = rivals(rows)
    if not found:
        return []
    enough = max(row["test_accuracy"] for row in found) - MARGIN - 1e-9
    return [row["name"] for row in rows if not is_fasttext(row) and row["test_accuracy"] >= enough
            and all(row["times"][rival["name"]] < 1 and microseconds(row) < microseconds(rival) for rival in found)]


def unbeaten_fasttext(rows):
    """The fastText rows on the front, the fastest first: what one would still choose fastText for."""
    marked = pareto(rows)
    return sorted((row for row in rows if is_fasttext(row) and row["name"] in marked), key=microseconds)


def table(name, rows):
    """Markdown."""
    marked, faster = pareto(rows), faster_than_rivals(rows)
    yield f"### {name}"
    yield ""
    yield f"| | test % | us per text | texts/s | times {rows[0]['name']} | us per Python call | model, MB | |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for row in rows:
        took, call = microseconds(row), row["microseconds_per_call"]
        marks = " ".join(["front"] * (row["name"] in marked) + ["faster"] * (row["name"] in faster))
        yield (f"| {row['name']} | {100 * row['test_accuracy']:.2f} | {took:.2f} | {1e6 / took:,.0f} | "
               f"{row['times'][rows[0]['name']]:.2f} | {'' if call is None else f'{call:.2f}'} | "
               f"{row['model_bytes'] / 1e6:.1f} | {marks} |")
    yield ""


def summarize(row):
    return f"{100 * row['test_accuracy']:.2f} % at {microseconds(row):.2f} us"


def verdict(rows):
    """Sentences below the table."""
    yield "front: no other row is both faster and at least as accurate."
    found = rivals(rows)
    if not found:
        yield "No fastText row to compare with."
        return
    best = max(found, key=lambda row: row["test_accuracy"])
    yield (f"fastText's best is {100 * best['test_accuracy']:.2f} % ({best['name']}); {len(found)} of its rows are within "
           f"{100 * MARGIN:.1f} points, the fastest at {microseconds(found[0]):.2f} us ({found[0]['name']}).")
    unbeaten = unbeaten_fasttext(rows)
    if unbeaten:
        yield (f"Rows of fastText on the front: {len(unbeaten)}, from {summarize(unbeaten[0])} to "
               f"{summarize(unbeaten[-1])}.")
    else:
        yield "No row of fastText is on the front."
    by_name = {row["name"]: row for row in rows}
    faster = faster_than_rivals(rows)
    if not faster:
        yield "No row of that accuracy is faster than all of them."
    for name in faster:
        row = by_name[name]
        # The smallest lead counts.
        lead = min(1 / row["times"][rival["name"]] for rival in found)
        yield (f"faster: {name}, {100 * row['test_accuracy']:.2f} %, {microseconds(row):.2f} us, at least {lead:.2f}x "
               "as fast as each of them.")

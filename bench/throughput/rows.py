"""The rows of the table: what is measured, or why it is not."""
import dataclasses
import pathlib

import front
import programs
from fasttext_front import TITLE, FastTextFront
from fasttext_peer import GLOVE
from measure import Row
from programs import Missing
from skim_file import ModelFile
from skim_option import find_dense_lstm
from tfidf_peer import TfIdf
from pypi import Venv

HERE = pathlib.Path(__file__).resolve().parent
WHEEL = f"{front.FASTTEXT}, PyPI"
# Texts that ONNX Runtime gets at a time.
ONNX_BATCHES = (1, 32)


@dataclasses.dataclass
class Entry(Row):
    engine: str = ""
    calls: str = "one"  # text per call; "all" in one call; "block": many


def skim_rows(data_set, options):
    for model in options.skim:
        path = model.path(data_set.name)
        if not path.is_file():
            yield Missing(f"{model.name}: {path} is missing")
            continue
        command = [programs.skim_worker(options.work, options.build), path, *model.policy]
        labels = ModelFile(path).labels
        yield Entry(f"{model.name}, one text", command, path, model.setting(), labels, engine="skim")
        yield Entry(f"{model.name}, batch", [*command, "block", options.block], path,
                    {**model.setting(), "block": options.block}, labels, engine="skim", calls="block")


def title_of(name):
    return name.replace(f"dim {GLOVE}", "GloVe, dim 100")


def fasttext_rows(data_set, options):
    peer = FastTextFront(data_set, options.work, options.vectors, options.phrases)
    worker = programs.fasttext_worker(options.work)
    for name, setting in peer.settings(options.fasttext_rows).items():
        model = peer.model(name)
        yield Entry(f"{TITLE}, {title_of(name)}", [worker, "serve", setting["text"], model], model, setting, engine=TITLE)


def wheel_rows(data_set, options):
    """The package of PyPI is another build of the same library, so a few of its models tell all."""
    python = Venv(options.work).python_with("fasttext")
    peer = FastTextFront(data_set, options.work, options.vectors, options.phrases)
    for name, setting in peer.settings(options.wheel_rows).items():
        model = peer.model(name)
        for calls in ("all", "one"):
            yield Entry(f"{WHEEL}, {title_of(name)}, {'one text' if calls == 'one' else 'all in one call'}",
                        [python, HERE / "fasttext_python.py", setting["text"], model, calls], model, setting,
                        same_answers=f"{WHEEL} {name}", engine=WHEEL, calls=calls)


def tfidf_rows(data_set, options):
    for name, setting, model, command in TfIdf(data_set, options.work, options.phrases).rows():
        if command[-1] == "all":
            yield Entry(name, command, model, setting, engine="TF-IDF", calls="all")


def onnx_rows(data_set, options):
    python = Venv(options.work).python_with("onnxruntime")
    dense = find_dense_lstm(options.skim, data_set.name)
    for weights in ("f32", "int8"):
        # The activations of a batch share one scale in int8, so that its size changes answers.
        same_answers = "ONNX Runtime f32" if weights == "f32" else None
        for size in ONNX_BATCHES:
            yield Entry(f"ONNX Runtime, dense LSTM {weights}, batch of {size}",
                        [python, HERE / "onnx_worker.py", dense, weights, size], dense,
                        {"weights": weights, "batch": size}, ModelFile(dense).labels, same_answers,
                        engine="ONNX Runtime", calls="one" if size == 1 else "block")


def all_rows(data_set, options):
    """Rows, and what is left out and why."""
    rows, skipped = [], []
    for title, make in (("skim", skim_rows), (TITLE, fasttext_rows), (WHEEL, wheel_rows), ("TF-IDF", tfidf_rows),
                        ("ONNX Runtime", onnx_rows)):
        try:
            for row in make(data_set, options):
                if isinstance(row, Missing):
                    skipped.append(str(row))
                else:
                    rows.append(row)
        except Missing as reason:
            skipped.append(f"{title}: {reason}")
    return rows, skipped

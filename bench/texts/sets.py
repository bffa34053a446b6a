"""The data sets: folders with train.tsv, dev.tsv and test.tsv of label<TAB>text lines."""
import hashlib
import pathlib

PARTS = ("train", "dev", "test")
PHRASES = "train_phrases.tsv"


class Fault(Exception):
    """An error that the user can fix; shown without a traceback."""


class Set:
    def __init__(self, data: pathlib.Path, name: str):
        self.name, self.folder = name, data / name
        for part in PARTS:
            if not self.path(part).is_file():
                raise Fault(f"{self.path(part)} is missing: --data names a folder that holds {name}/train.tsv, dev.tsv "
                            "and test.tsv, each line label<TAB>text")
        self.phrases = self.folder / PHRASES if (self.folder / PHRASES).is_file() else None

    def path(self, part):
        return self.folder / f"{part}.tsv"

    def lines(self, part, with_phrases=False):
        """Lines without their ends. Only \\n ends one: texts may hold any other separator."""
        files = [self.path(part)] + ([self.phrases] if with_phrases and self.phrases else [])
        lines = [line for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]
        for number, line in enumerate(lines, 1):
            if "\t" not in line:
                raise Fault(f"{files[0]}, line {number}: no tab; a line is label<TAB>text")
        return lines

    def labels(self, part):
        return [line.split("\t", 1)[0] for line in self.lines(part)]

    def texts(self, part):
        return [line.split("\t", 1)[1] for line in self.lines(part)]

    def sums(self, parts=PARTS):
        files = [self.path(part) for part in parts] + ([self.phrases] if self.phrases and "train" in parts else [])
        return {file.name: sha256(file) for file in files}


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def spread(items, count):
    """`count` of the items, evenly spread; all when there are no more."""
    if count >= len(items):
        return list(items)
    return [items[i * len(items) // count] for i in range(count)]


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

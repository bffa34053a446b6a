"""The extension module. Private: use the public names of `skim`."""
from typing import List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

__version__: str

Floats = npt.NDArray[np.float32]
# Threshold, rule, seed, confident.
PolicyParts = Tuple[float, str, int, Optional[float]]
# Text, question, choices, in UTF-8.
QueryParts = Tuple[bytes, bytes, List[bytes]]
# Reader, hidden size, over, widths, p_read.
RawPass = Tuple[str, int, str, npt.NDArray[np.uint16], Floats]
# Answer (index, score, begin, end, value, text of a number), scores, byte offsets of the words and of the question's
# words, passes, FLOP reductions by the three cost rules, skim rate, microseconds, indices of the labels of a multi-label
# model.
RawReading = Tuple[
    Tuple[int, float, int, int, float, str],
    Floats,
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    Tuple[RawPass, ...],
    Tuple[float, float, float],
    float,
    float,
    Tuple[int, ...],
]

class Model:
    @staticmethod
    def load(path: bytes, table_bytes: int) -> Model: ...
    @staticmethod
    def from_bytes(data: bytes, name: str, table_bytes: int) -> Model: ...
    def read(self, query: QueryParts, policy: PolicyParts) -> RawReading: ...
    def threshold_for(self, budget: float) -> float: ...
    def dense(self) -> Model: ...
    @property
    def name(self) -> bytes: ...
    @property
    def labels(self) -> List[str]: ...
    @property
    def label_thresholds(self) -> List[float]: ...
    @property
    def spec(self) -> str: ...
    @property
    def min_width(self) -> int: ...
    @property
    def streams(self) -> bool: ...
    @property
    def temperature(self) -> float: ...
    @property
    def calibration_points(self) -> List[Tuple[float, float]]: ...

class Batch:
    @staticmethod
    def create(model: Model, threads: int) -> Batch: ...
    def read(self, queries: List[QueryParts], policy: PolicyParts, first: int) -> List[RawReading]: ...

class LayerState:
    """The recurrent state of a reader between two calls."""

    @property
    def hidden(self) -> Floats: ...
    @property
    def cell(self) -> Floats: ...
    @property
    def position(self) -> int: ...

class Layer:
    @staticmethod
    def create(spec: str, tensors: Sequence[Tuple[str, Floats]], weight_type: str) -> Layer: ...
    @property
    def spec(self) -> str: ...
    def start(self, hidden: Floats, cell: Floats) -> LayerState: ...
    def read(
        self, rows: Floats, policy: PolicyParts, state: LayerState
    ) -> Tuple[Floats, LayerState, npt.NDArray[np.uint16], Floats]: ...

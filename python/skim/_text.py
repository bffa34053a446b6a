"""Between Python's strings, which count characters, and the library's, which counts bytes of UTF-8."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._errors import Error


def utf8(text: object, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise Error(f"{what}: character {error.start} is a lone surrogate ({found}), which stands for no text; "
                    "text.encode('utf-8', 'replace').decode() takes such out") from None


def characters_at(encoded: bytes, length: int, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Which character of a text of `length` begins at each of these bytes of it."""
    if length == len(encoded):
        return offsets
    # Every byte but those that continue a character begins one.
    begins = (np.frombuffer(encoded, dtype=np.uint8) & 0xC0) != 0x80
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(begins, dtype=np.int64)])
    return np.asarray(before[offsets], dtype=np.int64)

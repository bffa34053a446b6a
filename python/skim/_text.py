"""Conversion between character offsets of Python strings and UTF-8 byte offsets of the library."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._errors import Error


def encode_utf8(text: object, name: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise Error(f"{name}: character {error.start} is a lone surrogate ({found}), which UTF-8 cannot encode; "
                    "text.encode('utf-8', 'replace').decode() replaces it") from None


def to_character_offsets(encoded: bytes, length: int, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The character offset of each byte offset, in a text of `length` characters."""
    if length == len(encoded):
        return offsets
    # Every byte except a UTF-8 continuation byte begins a character.
    begins = (np.frombuffer(encoded, dtype=np.uint8) & 0xC0) != 0x80
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(begins, dtype=np.int64)])
    return np.asarray(before[offsets], dtype=np.int64)

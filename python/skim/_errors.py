"""What goes wrong, as exceptions that carry the library's own message."""
from __future__ import annotations


class Error(ValueError):
    """What skim refuses: a damaged file, a threshold out of range, arrays that do not fit together.

    `fault` is "format" (bytes that are not what they claim to be), "version" (made by a newer skim), "mismatch" (two
    things that must agree do not), "argument", or "io".
    """

    __module__ = "skim"
    fault: str = "argument"


class FileError(Error, OSError):
    """The system refused: a missing file, no permission, no memory."""

    __module__ = "skim"
    fault: str = "io"


def error_of(fault: str, message: str) -> Error:
    """The compiled half raises what this gives."""
    error = FileError(message) if fault == "io" else Error(message)
    error.fault = fault
    return error

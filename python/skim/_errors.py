"""Exceptions, with the error messages of the library."""
from __future__ import annotations


class Error(ValueError):
    """Invalid input: a damaged file, a threshold out of range, arrays whose shapes do not match.

    `fault` is "format" (malformed data), "version" (written by a newer skim), "mismatch" (two inputs that must agree do
    not), "argument", or "io".
    """

    __module__ = "skim"
    fault: str = "argument"


class FileError(Error, OSError):
    """A system error: a missing file, no permission, no memory."""

    __module__ = "skim"
    fault: str = "io"

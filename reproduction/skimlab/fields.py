"""Reads JSON files and checks their fields. Every error names the file and the field."""
import json
import pathlib
from typing import Any

from .errors import LabError

Json = dict[str, Any]


def load_object(path: pathlib.Path) -> Json:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise LabError(f"{path}: is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise LabError(f"{path}: expected a JSON object, got {kind(value)}")
    return value


def kind(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "a number",
             float: "a number"}
    return names.get(type(value), "null")


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def require(holder: Any, key: str, expected: type, where: str) -> Any:
    """The field `key` of an object; `expected` is str, bool, list, dict or float (any number)."""
    if not isinstance(holder, dict) or key not in holder:
        raise LabError(f"{where}.{key} is missing")
    value = holder[key]
    fits = is_number(value) if expected is float else isinstance(value, expected)
    if not fits:
        wanted = kind(expected())
        raise LabError(f"{where}.{key}: expected {wanted}, got {kind(value)}")
    return value


def only_fields(holder: Json, known: tuple[str, ...], where: str) -> None:
    for key in holder:
        if key not in known:
            raise LabError(f"{where}.{key}: unknown field, expected one of {', '.join(known)}")

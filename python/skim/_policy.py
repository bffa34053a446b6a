"""Policy arguments: checks them and converts them for the extension module."""
from __future__ import annotations

import operator
from typing import Callable, Optional, Tuple

from ._errors import Error

# Threshold, rule, seed and confident, as the extension module takes them.
PolicyParts = Tuple[float, str, int, Optional[float]]

DEFAULT_THRESHOLD = 0.5
RULES = ("threshold", "argmax", "sample")


def fraction(value: object, name: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number from 0 to 1, not {type(value).__name__}") from None
    # Also rejects NaN.
    if not 0 <= number <= 1:
        raise Error(f"{name} is {number:g}, expected a number from 0 to 1")
    return number


def integer(value: object, name: str, limit: int) -> int:
    """An integer from 0 to `limit` - 1."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not 0 <= number < limit:
        raise Error(f"{name} is {number}, expected an integer from 0 to {limit - 1}")
    return number


def policy_parts(threshold: Optional[float], budget: Optional[float], rule: Optional[str], seed: Optional[int],
                 threshold_for: Optional[Callable[[float], float]] = None,
                 confident: Optional[float] = None) -> PolicyParts:
    """At most one of threshold, budget and rule may be given; a seed only with rule="sample"."""
    if rule is not None and rule not in RULES:
        raise Error(f"rule is {rule!r}, expected one of {', '.join(RULES)}")
    if rule == "threshold":
        rule = None
    options = (("threshold", threshold), ("budget", budget), ("rule", rule))
    given = [name for name, value in options if value is not None]
    if len(given) > 1:
        raise Error(f"{' and '.join(given)} are mutually exclusive, give one of them")
    if seed is not None and rule != "sample":
        raise Error('seed requires rule="sample"')
    number = integer(0 if seed is None else seed, "seed", 1 << 64)
    stop = None if confident is None else fraction(confident, "confident")
    if budget is not None and threshold_for is not None:
        return threshold_for(fraction(budget, "budget")), "threshold", number, stop
    level = fraction(DEFAULT_THRESHOLD if threshold is None else threshold, "threshold")
    return level, rule or "threshold", number, stop

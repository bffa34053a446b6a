"""How readily words are read: checks what people pass in and hands it to the compiled half."""
from __future__ import annotations

import operator
from typing import Callable, Optional, Tuple

from ._errors import Error

# Threshold, rule and seed, as the compiled half takes them.
PolicyParts = Tuple[float, str, int]

OWN_CHOICE = 0.5
RULES = ("threshold", "argmax", "sample")


def share(value: object, what: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number from 0 to 1, not {type(value).__name__}") from None
    # Written so that NaN fails, too.
    if not 0 <= number <= 1:
        raise Error(f"{what} is {number:g}, it must be from 0 to 1")
    return number


def whole_number(value: object, what: str, limit: int) -> int:
    """A whole number from 0 to below `limit`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {type(value).__name__}") from None
    if not 0 <= number < limit:
        raise Error(f"{what} is {number}, it must be from 0 to {limit - 1}")
    return number


def policy_parts(threshold: Optional[float], budget: Optional[float], rule: Optional[str], seed: Optional[int],
                 threshold_for: Optional[Callable[[float], float]] = None) -> PolicyParts:
    """At most one of threshold, budget and a rule of its own; a seed only for draws."""
    if rule is not None and rule not in RULES:
        raise Error(f"rule is {rule!r}, it must be one of {', '.join(RULES)}")
    if rule == "threshold":
        rule = None
    given = [name for name, value in (("threshold", threshold), ("budget", budget), ("rule", rule)) if value is not None]
    if len(given) > 1:
        raise Error(f"{' and '.join(given)} exclude each other, give one of them")
    if seed is not None and rule != "sample":
        raise Error('a seed is for draws, give rule="sample" with it')
    number = whole_number(0 if seed is None else seed, "seed", 1 << 64)
    if budget is not None and threshold_for is not None:
        return threshold_for(share(budget, "budget")), "threshold", number
    return share(OWN_CHOICE if threshold is None else threshold, "threshold"), rule or "threshold", number

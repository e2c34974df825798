"""The numbers of an arm as named constants of the generated code.

Zero, one and minus one stay numbers, so that terms with them vanish; a number that occurs twice
has one name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import symengine

from armwerk.derivation.program import Expression

PREFIX = "p_"
_ROUNDING = 1e-15  # what is left of a cosine of 90 degrees, as a share of one


@dataclass(frozen=True, slots=True)
class Constant:
    """A named number.

    Args:
        name: As in the source, with its prefix.
        value: The number.
        unit: "m", "kg", ... empty for a plain number.
    """

    name: str
    value: float
    unit: str


class Constants:
    """Hands out symbols for numbers."""

    def __init__(self) -> None:
        self._known: dict[str, Constant] = {}

    def define(self, name: str, value: float, unit: str) -> None:
        """Give a number a name, without its prefix."""
        self._known[PREFIX + name] = Constant(PREFIX + name, value, unit)

    def symbol(self, value: float, name: str, unit: str = "", size: float = 1.0) -> Expression:
        """Return 0, ±1 or a signed symbol for a number.

        Args:
            value: The number.
            name: Its name when it is new, without prefix.
            unit: Only numbers of one unit share a name.
            size: Numbers below a rounding error of this are zero.
        """
        if abs(value) <= _ROUNDING * size:
            return symengine.Integer(0)
        sign = 1 if value > 0 else -1
        if abs(abs(value) - 1.0) <= _ROUNDING:
            return symengine.Integer(sign)
        for other in self._known.values():
            if other.unit == unit and abs(abs(value) - other.value) <= _ROUNDING * abs(value):
                return sign * symengine.Symbol(other.name)
        self.define(name, abs(value), unit)
        return sign * symengine.Symbol(PREFIX + name)

    def names(self) -> frozenset[str]:
        """Return all names so far."""
        return frozenset(self._known)

    def used(self, names: Iterable[str]) -> list[Constant]:
        """Return the constants among some names, in order of definition."""
        wanted = set(names)
        return [one for name, one in self._known.items() if name in wanted]

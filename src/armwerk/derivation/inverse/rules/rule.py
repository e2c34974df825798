"""What a rule and a match are, and the names a firing rule may use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import symengine

from armwerk.derivation.inverse.memory import Fact, Memory, Unknown
from armwerk.derivation.program import Expression, Let, Step
from armwerk.derivation.ring import Angle, Poly
from armwerk.derivation.show import to_symengine


@dataclass(slots=True)
class StepNames:
    """Hands out names of roots (w1, w2, ...) and of shared values (h1, h2, ...)."""

    roots: int = 0
    values: int = 0

    def root(self) -> str:
        """Return the name of the next square root."""
        self.roots += 1
        return f"w{self.roots}"

    def lines(self) -> tuple[str, str, str, str, str, str]:
        """Return names for the six numbers of a pair of lines."""
        first = self.values
        self.values += 6
        a, b, e, f, g, h = (f"h{first + k}" for k in range(1, 7))
        return a, b, e, f, g, h

    def share(self, value: Expression, steps: list[Step], role: str = "") -> Expression:
        """Return a symbol for ``value``, putting its `Let` into ``steps``; atoms stay as are."""
        if not value.args or (value.is_Mul and all(not part.args for part in value.args)):
            return value
        self.values += 1
        name = f"h{self.values}"
        steps.append(Let(name, value, role))
        return symengine.Symbol(name)


class Rule:
    """What all rules share."""

    theorem: ClassVar[str]
    title: ClassVar[str]
    branches: ClassVar[int]
    priority: ClassVar[int]
    pattern: ClassVar[str]
    solution: ClassVar[str]

    def __repr__(self) -> str:
        return f"<rule {self.theorem}>"


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A rule together with the facts that satisfy it.

    Args:
        rule: The rule.
        unknown: What it solves for.
        facts: The facts it uses.
        terms: The known terms a, b, c ... of the theorem, by name.
        cost: Number of terms to be evaluated; cheaper matches fire first.
        steps: Makes the steps of the program, given fresh names.
        also: Further unknowns it solves in passing.
        angles: The angles of the theorem, by name, where it speaks of more than one.
    """

    rule: Rule
    unknown: Unknown
    facts: tuple[Fact, ...]
    terms: dict[str, Poly]
    cost: int
    steps: Callable[[StepNames], list[Step]]
    also: tuple[Unknown, ...] = ()
    angles: tuple[tuple[str, Angle], ...] = ()


def definite_sign(memory: Memory, poly: Poly) -> int:
    """Return +1 or -1 if a polynomial has that sign at every pose, else 0.

    True for numbers, for products of lengths that have (positive) values, and for sums of
    squares of the cosine and sine of one angle, which the normal form has made numbers.
    """
    if len(poly) != 1:
        return 0
    ((exponents, coefficient),) = poly.to_dict().items()
    positive = {memory.ring.index[name] for name in memory.ring.values}
    if all(k in positive or power % 2 == 0 for k, power in enumerate(exponents) if power):
        return 1 if coefficient > 0 else -1
    return 0


def is_constant(memory: Memory, poly: Poly) -> bool:
    """Whether a polynomial holds dimensions of the arm only, no pose and no joint."""
    ring = memory.ring
    constant = {ring.index[name] for name in ring.parameters}
    constant |= {ring.index[f"{letter}{tag}"] for tag in ring.twists for letter in "cs"}
    return not poly or all(k in constant for k, power in enumerate(poly.degrees()) if power)


def expression(memory: Memory, poly: Poly) -> Expression:
    """Return a polynomial of the memory's ring as an expression for a step."""
    return to_symengine(memory.ring, poly)

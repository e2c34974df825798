"""Arms that have a closed form only because two of their lengths are equal.

With a name of its own for every length nothing cancels that two equal numbers would cancel. Where
that hides the closed form, the solution with shared names is taken, and says which are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from armwerk.derivation.equations import Equation, kinematic_equations
from armwerk.derivation.inverse.result import Inverse
from armwerk.derivation.inverse.solve import solve_inverse
from armwerk.derivation.ring import SAME_LENGTH, Ring


def with_equal_lengths(
    ring: Ring, own: Inverse, equations: Sequence[Equation], method: str | None
) -> Inverse:
    """Return the solution itself, or where it has no closed form one that uses equal lengths.

    Args:
        ring: Where every length has its own name.
        own: The solution found there.
        equations: The kinematic equations there; the result refers to their numbers.
        method: As asked for.
    """
    equal = _equal(ring)
    if not equal or own.is_closed:
        return own
    shared = Ring(ring.arm)
    known = kinematic_equations(shared)
    other = solve_inverse(shared, known, method)
    if not other.is_closed:
        return own
    places = {(e.first, e.last, e.row, e.column): e.number for e in equations}
    numbers = {e.number: places[e.first, e.last, e.row, e.column] for e in known}
    said = f"uses that {', '.join(f'{two} = {one}' for one, two in equal)}"
    steps = [
        replace(one, equations=tuple(numbers[k] for k in one.equations)) for one in other.steps
    ]
    if steps:
        remark = f"{said}; {steps[0].remark}" if steps[0].remark else said
        steps[0] = replace(steps[0], remark=remark)
    return replace(other, steps=tuple(steps))


def _equal(ring: Ring) -> list[tuple[str, str]]:
    """Return pairs of names with the same length."""
    names = list(ring.values)
    return [
        (one, two)
        for k, one in enumerate(names)
        for two in names[k + 1 :]
        if abs(ring.values[one] - ring.values[two]) <= SAME_LENGTH
    ]

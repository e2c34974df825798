"""Operation counts of all models of an arm, per operator, as in the tables of the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.operations import OPERATORS, count_operations
from armwerk.derivation.program import Expression, Let, Program, Root, Slide, Sum, Turn
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.show import symengine_list

if TYPE_CHECKING:
    from armwerk.derivation.derive import Derivation


MOST_SHARED_TERMS = 25_000  # of expanded dynamics; looking for what is shared takes minutes


def model_operations(derivation: Derivation, *, share: bool = True) -> dict[str, dict[str, int]]:
    """Return the operators of each model: direct, inverse, jacobian, mass, ... gravity.

    Args:
        derivation: The arm's derivation.
        share: Whether sub-expressions that occur more than once are counted once, as the
            generated code computes them; never for dynamics out of hand (seven axes, say).
    """

    ring = derivation.ring
    counts = {
        "direct": _count(ring, derivation.forward_polynomials, share),
        "jacobian": _count(ring, jacobian(ring), share),
    }
    program = derivation.inverse.program
    if program is not None:
        counts["inverse"] = program_operations(ring, program, share=share)
    dynamics = derivation.dynamics()
    terms = sum(len(e) for part in dynamics.polynomials.parts() for line in part for e in line)
    counts |= dynamics.operations(share=share and terms <= MOST_SHARED_TERMS)
    return counts


def program_operations(ring: Ring, program: Program, *, share: bool = True) -> dict[str, int]:
    """Return the operators on one path through the branches of a solution."""
    values: list[Expression] = []
    more = dict.fromkeys(OPERATORS, 0)
    for step in program.steps:
        match step:
            case Let(_, value):
                values.append(value)
            case Root(_, radicand):
                values.append(radicand)
                more["sqrt"] += radicand != 1
            case Turn(_, sine, cosine):
                values += [sine, cosine]
                more["atan2"] += 1
            case Sum(_, parts):
                for sign, _ in parts[1:]:
                    more["+" if sign > 0 else "-"] += 1
            case Slide(_, numerator, denominator):
                values += [numerator, denominator]
                more["/"] += denominator != 1
    found = count_operations(values, ring, share=share)
    return {name: found[name] + more[name] for name in OPERATORS}


def _count(ring: Ring, rows: Iterable[Sequence[Poly]], share: bool) -> dict[str, int]:
    entries = [entry for row in rows for entry in row]
    return count_operations(symengine_list(ring, entries), ring, share=share)

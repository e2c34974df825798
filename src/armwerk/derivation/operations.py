"""Operation counts of expressions and of all models of an arm, as in the tables of the source.

Expressions are counted as they stand and after sharing sub-expressions. The columns are those of
the source's tables: + - * / cos sin atan2 sqrt pow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.program import Expression, Let, LinePair, Program, Root, Slide, Sum, Turn
from armwerk.derivation.ring import Angle, Poly, Ring
from armwerk.derivation.show import symengine_list
from armwerk.derivation.sums import Algebra

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

OPERATORS = ("+", "-", "*", "/", "cos", "sin", "atan2", "sqrt", "pow")
_LONGEST_PRODUCT = 3  # a whole power up to this is multiplied out, a higher one is a power
MOST_SHARED_TERMS = 25_000  # of expanded dynamics; looking for what is shared takes minutes


def count_operations(
    expressions: Iterable[Expression], ring: Algebra | None = None, *, share: bool = False
) -> dict[str, int]:
    """Return how often each operator occurs.

    A term with a negative number in front counts as a subtraction; a minus in front of the whole
    is free, as are factors 1 and -1. A whole power up to 3 counts as multiplications.

    Args:
        expressions: SymEngine or SymPy expressions.
        ring: Where symbols like c23 come from: each counts as a cosine or sine and the additions
            inside it. None: symbols cost nothing.
        share: Whether sub-expressions that occur more than once are counted once. Otherwise
            everything counts at every place, as in the source, which computes only the sine and
            cosine of single angles once and for all.
    """
    import symengine

    listed = [symengine.sympify(expression) for expression in expressions]
    if share:
        shared, listed = symengine.cse(listed)
        listed = [value for _, value in shared] + list(listed)
    counts = dict.fromkeys(OPERATORS, 0)
    used: dict[str, int] = {}
    for expression in listed:
        _count(expression, counts, used)
    if ring is not None:
        _count_angles(ring.angles, used, counts, share)
    return counts


def total(counts: dict[str, int]) -> int:
    """Return the number of operations of all kinds."""
    return sum(counts.values())


def _count(expression: Expression, counts: dict[str, int], used: dict[str, int]) -> None:
    arguments = expression.args
    if expression.is_Symbol:
        used[str(expression)] = used.get(str(expression), 0) + 1
    elif expression.is_Add:
        negative = sum(_is_negative(term) for term in arguments)
        counts["-"] += min(negative, len(arguments) - 1)
        counts["+"] += max(len(arguments) - negative - 1, 0)
    elif expression.is_Mul:
        factors = [a for a in arguments if a not in (1, -1) and not _is_inverse(a)]
        counts["*"] += max(len(factors) - 1, 0)
    elif expression.is_Pow:
        _count_power(arguments[1], counts)
        arguments = arguments[:1]
    elif expression.is_Number:
        counts["/"] += not expression.is_Integer and expression.is_Rational
    elif expression.is_Function:
        name = type(expression).__name__.lower()
        if name in counts:
            counts[name] += 1
    for argument in arguments:
        _count(argument, counts, used)


def _count_power(exponent: Expression, counts: dict[str, int]) -> None:
    if not exponent.is_Number:
        counts["pow"] += 1
        return
    counts["/"] += bool(exponent < 0)
    size = abs(exponent)
    if 2 * size == 1:
        counts["sqrt"] += 1
    elif size.is_Integer and size <= _LONGEST_PRODUCT:
        counts["*"] += int(size) - 1
    else:
        counts["pow"] += 1


def _is_inverse(factor: Expression) -> bool:
    return bool(factor.is_Pow and factor.args[1].is_Number and factor.args[1] < 0)


def _is_negative(term: Expression) -> bool:
    if term.is_Number:
        return bool(term < 0)
    return bool(term.is_Mul and term.args[0].is_Number and term.args[0] < 0)


def _count_angles(
    angles: Iterable[Angle], used: dict[str, int], counts: dict[str, int], share: bool
) -> None:
    for angle in angles:
        cosines, sines = used.get(angle.cos, 0), used.get(angle.sin, 0)
        if share or len(angle.terms) == 1:
            cosines, sines = min(cosines, 1), min(sines, 1)
        counts["cos"] += cosines
        counts["sin"] += sines
        for _, sign in angle.terms[1:]:
            counts["+" if sign > 0 else "-"] += cosines + sines


def model_operations(derivation: Derivation, *, share: bool = True) -> dict[str, dict[str, int]]:
    """Return the operators of each model: direct, inverse, jacobian, mass, ... gravity.

    Args:
        derivation: The arm's derivation.
        share: Whether sub-expressions that occur more than once are counted once, as the
            generated code computes them; never for dynamics out of hand (seven axes, say).
    """

    ring = derivation.ring
    counts = {
        "direct": _count_rows(ring, derivation.forward_polynomials, share),
        "jacobian": _count_rows(ring, jacobian(ring), share),
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
            case LinePair(_, coefficients):
                values += coefficients
                more["sqrt"] += 3
                more["cos"] += 2
            case Slide(_, numerator, denominator):
                values += [numerator, denominator]
                more["/"] += denominator != 1
    found = count_operations(values, ring, share=share)
    return {name: found[name] + more[name] for name in OPERATORS}


def _count_rows(ring: Ring, rows: Iterable[Sequence[Poly]], share: bool) -> dict[str, int]:
    entries = [entry for row in rows for entry in row]
    return count_operations(symengine_list(ring, entries), ring, share=share)

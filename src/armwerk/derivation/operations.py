"""Operation counts of expressions, as they stand and after sharing sub-expressions.

The columns are those of the source's tables: + - * / cos sin atan2 sqrt pow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from armwerk.derivation.show import sympy_angle
from armwerk.derivation.sums import Algebra

OPERATORS = ("+", "-", "*", "/", "cos", "sin", "atan2", "sqrt", "pow")


def count_operations(
    expressions: Iterable[Any], ring: Algebra | None = None, *, share: bool = False
) -> dict[str, int]:
    """Return how often each operator occurs.

    A term with a negative number in front counts as a subtraction, a whole power up to 3 as
    multiplications, a higher one as a power. Symbols like c23 count as one cosine each, however
    often they occur, and the additions inside it.

    Args:
        expressions: SymEngine or SymPy expressions.
        ring: Where the symbols of sines and cosines come from; None: there are none.
        share: Whether sub-expressions that occur more than once are counted once.
    """
    import symengine

    listed = [symengine.sympify(expression) for expression in expressions]
    if share:
        shared, listed = symengine.cse(listed)
        listed = [value for _, value in shared] + list(listed)
    counts = dict.fromkeys(OPERATORS, 0)
    for expression in listed:
        _count(expression, counts)
    if ring is not None:
        _count_angles(ring, {str(s) for e in listed for s in e.free_symbols}, counts)
    return counts


def total(counts: dict[str, int]) -> int:
    """Return the number of operations of all kinds."""
    return sum(counts.values())


def _count(expression: Any, counts: dict[str, int]) -> None:
    import symengine

    arguments = expression.args
    if expression.is_Add:
        negative = sum(_is_negative(term) for term in arguments)
        if negative == len(arguments):
            counts["-"] += negative
        else:
            counts["-"] += negative
            counts["+"] += len(arguments) - negative - 1
    elif expression.is_Mul:
        _count_product(arguments, counts)
    elif expression.is_Pow:
        _count_power(arguments[1], counts)
        arguments = arguments[:1]
    elif expression.is_Function:
        name = type(expression).__name__.lower()
        if name in counts:
            counts[name] += 1
    elif isinstance(expression, symengine.Rational) and not expression.is_Integer:
        counts["/"] += 1
        return
    for argument in arguments:
        _count(argument, counts)


def _count_product(arguments: tuple[Any, ...], counts: dict[str, int]) -> None:
    factors = [a for a in arguments if a not in {1, -1}]
    below = sum(bool(a.is_Pow and a.args[1].is_Number and a.args[1] < 0) for a in factors)
    above = len(factors) - below
    counts["/"] += below
    counts["*"] += max(above - 1, 0)


def _count_power(exponent: Any, counts: dict[str, int]) -> None:
    size = abs(exponent) if exponent.is_Number else exponent
    if size == 1:
        return
    if exponent.is_Number and 2 * size == 1:
        counts["sqrt"] += 1
    elif exponent.is_Integer and size <= 3:
        counts["*"] += int(size) - 1
    else:
        counts["pow"] += 1


def _is_negative(term: Any) -> bool:
    if term.is_Number:
        return bool(term < 0)
    return bool(term.is_Mul and term.args[0].is_Number and term.args[0] < 0)


def _count_angles(ring: Algebra, names: set[str], counts: dict[str, int]) -> None:
    for angle in ring.angles:
        used = [name for name in (angle.cos, angle.sin) if name in names]
        if used:
            counts["cos"] += angle.cos in used
            counts["sin"] += angle.sin in used
            inside = sympy_angle(ring, angle)
            if inside.is_Add:
                for term in inside.args[1:]:
                    counts["-" if _is_negative(term) else "+"] += 1

"""Formulas of a solution as sums of products: taken apart, shortened, put together again.

What enters are expressions of steps; what leaves are equal ones with fewer letters. Nothing here
knows what the letters mean but for the entries of the pose, whose columns n, o, a are orthonormal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import symengine

from armwerk.derivation.program import Expression

Product: TypeAlias = tuple[tuple[str, int], ...]  # letters and powers, by name
Products: TypeAlias = dict[Product, Expression]  # with the number in front of each


def products(expression: Expression) -> Products | None:
    """Return the terms of an expression multiplied out; None where it is no polynomial."""
    whole = symengine.expand(expression)
    found: Products = {}
    for term in whole.args if whole.is_Add else (whole,):
        number: Expression = symengine.Integer(1)
        powers: dict[str, int] = {}
        for factor in term.args if term.is_Mul else (term,):
            if factor.is_Number:
                number = number * factor
            elif factor.is_Symbol:
                powers[factor.name] = powers.get(factor.name, 0) + 1
            elif factor.is_Pow and factor.args[0].is_Symbol and factor.args[1].is_Integer:
                power = int(factor.args[1])
                if power < 0:
                    return None
                powers[factor.args[0].name] = powers.get(factor.args[0].name, 0) + power
            else:
                return None
        if number != 0:
            found[tuple(sorted(powers.items()))] = number
    return found


def expression_of(terms: Mapping[Product, Expression]) -> Expression:
    """Return terms as an expression, multiplied out."""
    return symengine.Add(
        *(number * product_of(product) for product, number in terms.items()), symengine.Integer(0)
    )


def product_of(product: Product) -> Expression:
    """Return letters and powers as an expression."""
    factors = (symengine.Symbol(name) ** power for name, power in product)
    return symengine.Mul(symengine.Integer(1), *factors)


def size_of(expression: Expression) -> int:
    """Return how many letters and numbers an expression is written with."""
    if expression.is_Pow:
        return size_of(expression.args[0])
    return sum(size_of(part) for part in expression.args) if expression.args else 1


def with_unit_columns(terms: Products) -> Products:
    """Return terms in which whole columns are used: ax² + ay² + az² = 1, nx·ox + ... = 0."""
    found = dict(terms)
    for one, two in (("a", "a"), ("n", "n"), ("o", "o"), ("n", "o"), ("n", "a"), ("o", "a")):
        for product in list(found):
            rest = _without(product, {f"{one}x": 1, f"{two}x": 1} if one != two else {f"{one}x": 2})
            if rest is None or product not in found:
                continue
            three = [_times(rest, _pair(one, two, axis)) for axis in "xyz"]
            number = found[product]
            if any(found.get(other) != number for other in three):
                continue
            for other in three:
                del found[other]
            if one == two:
                total = found.pop(rest, 0) + number
                if total != 0:
                    found[rest] = total
    return found


def gathered(terms: Products, angles: Sequence[tuple[str, str]]) -> Expression:
    """Return terms put in brackets by the cosine and sine of angles, those of the first outside.

    Args:
        terms: Multiplied out.
        angles: Names of cosine and sine of the angles that occur.
    """
    for place, pair in enumerate(angles):
        groups: dict[Product, Products] = {}
        for product, number in terms.items():
            own = tuple((name, power) for name, power in product if name in pair)
            rest = tuple((name, power) for name, power in product if name not in pair)
            groups.setdefault(own, {})[rest] = number
        if any(own and len(group) > 1 for own, group in groups.items()):
            inner = angles[place + 1 :]
            return symengine.Add(*(_bracket(own, group, inner) for own, group in groups.items()))
    return expression_of(terms)


def _bracket(own: Product, group: Products, angles: Sequence[tuple[str, str]]) -> Expression:
    """Return own times a bracket; the minus that all terms have stands in front of it."""
    if own and all(number.is_real and number < 0 for number in group.values()):
        return -product_of(own) * gathered({key: -n for key, n in group.items()}, angles)
    return product_of(own) * gathered(group, angles)


def minus_signs(expression: Expression) -> int:
    """Return how many terms are subtracted, in brackets too."""
    own = expression.is_Mul and expression.args[0].is_Number and expression.args[0] < 0
    own = own or (expression.is_Number and expression < 0)
    return int(own) + sum(minus_signs(part) for part in expression.args if not part.is_Number)


def common_factor(several: Iterable[Products], allowed: frozenset[str]) -> Expression:
    """Return the largest product of allowed letters and a whole number that divides all terms."""
    numbers: list[int] = []
    powers: dict[str, int] | None = None
    for terms in several:
        for product, number in terms.items():
            if not number.is_Integer:
                return symengine.Integer(1)
            numbers.append(abs(int(number)))
            own = {name: power for name, power in product if name in allowed}
            if powers is None:
                powers = own
            else:
                powers = {name: min(p, own[name]) for name, p in powers.items() if name in own}
    if not numbers:
        return symengine.Integer(1)
    return symengine.Integer(math.gcd(*numbers)) * product_of(tuple((powers or {}).items()))


def divided(terms: Products, factor: Expression) -> Products:
    """Return terms divided by a factor that all of them hold."""
    whole = products(expression_of(terms) / factor)
    return terms if whole is None else whole


def _pair(one: str, two: str, axis: str) -> Product:
    if one == two:
        return ((f"{one}{axis}", 2),)
    return tuple(sorted(((f"{one}{axis}", 1), (f"{two}{axis}", 1))))


def _without(product: Product, needed: Mapping[str, int]) -> Product | None:
    """Return what is left of a product; None where it does not hold what is needed."""
    powers = dict(product)
    for name, power in needed.items():
        if powers.get(name, 0) < power:
            return None
        powers[name] -= power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _times(one: Product, two: Product) -> Product:
    powers = dict(one)
    for name, power in two:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))

"""Factors of a trigonometric polynomial, none hidden.

Modulo s² = 1 - c² a polynomial in sines and cosines may factor although no normal form of it
does: s·c·... = (1 - c)(1 + c) is prime in one form and not in the other. With the halves of the
angles, x = cos(θ/2) and y = sin(θ/2),

    1 = x² + y²,    cos θ = x² - y²,    sin θ = 2 x y,

it becomes a form that is homogeneous in every pair (x, y), its factors are unique, and each
factor of even degree in every pair, or product of two such odd ones, is a polynomial in
cosine and sine again: x² = (1 + c)/2, y² = (1 - c)/2, x y = s/2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import flint

from armwerk.derivation.ring import Poly
from armwerk.derivation.sums import Algebra, best_basis, collect_sums, expand_sums


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """number · product of factor ** power.

    Args:
        number: Rational number in front.
        constants: Factors without joint variables, with their powers.
        moving: Factors with joint variables, with their powers; sums of angles collected.
    """

    number: Fraction
    constants: tuple[tuple[Poly, int], ...]
    moving: tuple[tuple[Poly, int], ...]


class HalfAngles:
    """Homogeneous forms in half angles of some polynomials, for factors and common divisors.

    Args:
        ring: Where the polynomials live.
        polys: The polynomials, in any form; one basis of angles is chosen for all.
    """

    def __init__(self, ring: Algebra, polys: Iterable[Poly]) -> None:
        self.ring = ring
        self.polys, self.angles = best_basis(ring, [expand_sums(ring, poly) for poly in polys])
        trig = {name for angle in ring.angles for name in (angle.cos, angle.sin)}
        self.others = [name for name in ring.names if name not in trig]
        names = [f"{half}{a.tag}" for a in self.angles for half in ("x", "y")] + self.others
        self.context = flint.fmpz_mpoly_ctx.get(names, flint.Ordering.degrevlex)
        self._gens = dict(zip(names, self.context.gens(), strict=True))
        self._weights = [(a.tag, ring.index[a.cos], ring.index[a.sin]) for a in self.angles]
        self.forms = [self._form(poly) for poly in self.polys]

    def _form(self, poly: Poly) -> Poly:
        """Return the form of lowest degree; a common factor x² + y² never arises."""
        names = list(self.ring.names) + [f"one {tag}" for tag, _, _ in self._weights]
        wide = flint.fmpz_mpoly_ctx.get(names, flint.Ordering.lex)
        degrees = [
            max((m[c] + m[s] for m in poly.monoms()), default=0) for _, c, s in self._weights
        ]
        terms = {
            (
                *m,
                *(top - m[c] - m[s] for top, (_, c, s) in zip(degrees, self._weights, strict=True)),
            ): k
            for m, k in poly.to_dict().items()
        }
        images = {name: self._gens.get(name, self.context.constant(0)) for name in names}
        for angle in self.angles:
            x, y = self._gens[f"x{angle.tag}"], self._gens[f"y{angle.tag}"]
            images[angle.cos], images[angle.sin] = x**2 - y**2, 2 * x * y
            images[f"one {angle.tag}"] = x**2 + y**2
        return wide.from_dict(terms).compose(*images.values(), ctx=self.context)

    def parity(self, form: Poly) -> tuple[int, ...]:
        """Return for every angle whether the form's degree in its pair is odd."""
        monomial = form.monoms()[0]
        return tuple((monomial[2 * k] + monomial[2 * k + 1]) % 2 for k in range(len(self.angles)))

    def back(self, form: Poly) -> Poly:
        """Return a form of even degrees as a primitive polynomial in cosines and sines."""
        ring = self.ring
        total = ring.zero
        cosines = [(ring[a.cos], ring[a.sin]) for a in self.angles]
        others = [ring[name] for name in self.others]
        for monomial, coefficient in form.to_dict().items():
            term = ring.context.constant(int(coefficient))
            for k, (c, s) in enumerate(cosines):
                above, below = int(monomial[2 * k]), int(monomial[2 * k + 1])
                if above % 2:
                    term *= s
                term *= (1 + c) ** (above // 2) * (1 - c) ** (below // 2)
            for power, generator in zip(monomial[2 * len(cosines) :], others, strict=True):
                if power:
                    term *= generator ** int(power)
            total += term
        return primitive(collect_sums(ring, total))


def factor(ring: Algebra, poly: Poly, variables: frozenset[str] = frozenset()) -> Factors:
    """Return the factors of a trigonometric polynomial.

    Args:
        ring: Where it lives.
        poly: Not zero.
        variables: Names of generators besides sines and cosines that count as joint variables.
    """
    halves = HalfAngles(ring, [poly])
    found: list[Poly] = []  # with repetitions; polynomials cannot be hashed
    odd: list[Poly] = []
    for form, power in halves.forms[0].factor()[1]:
        if any(halves.parity(form)):
            odd += [form] * int(power)
        else:
            found += [halves.back(form)] * int(power)
    found += _paired(halves, odd)
    moving = [f for f in found if _moves(ring, f, variables)]
    constants = [f for f in found if not _moves(ring, f, variables)]
    return Factors(_ratio(ring, poly, found), _counted(constants), _counted(moving))


def common_factor(ring: Algebra, polys: list[Poly]) -> Poly:
    """Return the greatest common divisor of trigonometric polynomials, collected."""
    halves = HalfAngles(ring, polys)
    divisor = halves.forms[0]
    for form in halves.forms[1:]:
        divisor = divisor.gcd(form)
    if any(halves.parity(divisor)):  # half a sine is common to all: no polynomial in c and s
        divisor *= divisor
    return halves.back(divisor)


def primitive(poly: Poly) -> Poly:
    """Return the polynomial without its numeric content, leading coefficient positive."""
    content, part = poly.primitive()
    del content
    return -part if part.leading_coefficient() < 0 else part


def _paired(halves: HalfAngles, odd: list[Poly]) -> list[Poly]:
    """Multiply odd forms in pairs of equal parity, those that give a short product first."""
    found = []
    rest = list(odd)
    while rest:
        form = rest.pop(0)
        mates = [k for k, other in enumerate(rest) if halves.parity(other) == halves.parity(form)]
        if not mates:
            for other in rest:  # classes that only together are even
                form *= other
            found.append(halves.back(form))
            break
        products = [(halves.back(form * rest[k]), k) for k in mates]
        product, chosen = min(products, key=lambda pair: len(pair[0]))
        rest.pop(chosen)
        found.append(product)
    return found


def _ratio(ring: Algebra, poly: Poly, found: list[Poly]) -> Fraction:
    """Return poly / product of the factors, a rational number."""
    product = ring.one
    for f in found:
        product *= f
    whole, product = expand_sums(ring, poly), expand_sums(ring, product)
    ratio = Fraction(int(whole.leading_coefficient()), int(product.leading_coefficient()))
    if whole * ratio.denominator != product * ratio.numerator:
        raise ArithmeticError("the factors do not multiply to the polynomial")
    return ratio


def _moves(ring: Algebra, poly: Poly, variables: frozenset[str]) -> bool:
    used = poly.degrees()
    names = {name for angle in ring.angles for name in (angle.cos, angle.sin)} | variables
    return any(used[ring.index[name]] for name in names)


def _counted(factors: list[Poly]) -> tuple[tuple[Poly, int], ...]:
    """Return each factor once with its power, short ones first."""
    ordered = sorted(factors, key=lambda f: (len(f), str(f)))
    return tuple((f, len(list(same))) for f, same in groupby(ordered))

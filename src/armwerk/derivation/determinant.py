"""The determinant of the Jacobian, by blocks where possible, and its factors, none hidden.

The determinant of a 6 by 6 Jacobian does not depend on the frame and the point it refers to, so
that frame is taken whose twists are shortest; for an arm with a spherical wrist the wrist point,
where the block form (4.85) appears. An arm with fewer joints is singular when all minors of
order n vanish: the only one that is not zero throughout, or else their common divisor, takes the
determinant's place. An arm with two or three joints places a point; only the rows of the
velocity count for it unless they are dependent throughout.

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
from itertools import combinations, groupby

import flint

from armwerk.derivation.direct import Matrix
from armwerk.derivation.jacobian import frame_jacobians, geometric_jacobian
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.sums import Algebra, best_basis, collect_sums, expand_sums
from armwerk.errors import UnsupportedError

Rows = tuple[int, ...]
_ALL: Rows = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Determinant:
    """What decides whether an arm is singular.

    Args:
        value: The determinant, or what stands for it; sums of angles collected.
        factors: Its factors.
        frame: The frame, 0 to n, in which and at whose origin it was computed.
        rows: The rows (vx vy vz wx wy wz) of the minor; empty for a common divisor.
        blocks: Rows and columns of a zero block that split it in two (4.85), from 0, else None.
        minors: How many minors of order n are not zero throughout.
    """

    value: Poly
    factors: Factors
    frame: int
    rows: Rows
    blocks: tuple[Rows, Rows] | None
    minors: int


def determinant(ring: Ring) -> Determinant:
    """Return the determinant of the Jacobian with its factors.

    Raises:
        UnsupportedError: For more than six joints, where no single determinant decides.
    """
    if ring.dof > 6:
        raise UnsupportedError(
            f"arm '{ring.arm.name}' has {ring.dof} joints: its Jacobian is not square and is "
            "singular only where all its minors of order 6 vanish; no determinant to factor "
            "(allowed: at most 6 joints)"
        )
    if ring.dof == 6:
        return _square(ring, frame_jacobians(ring))
    if ring.dof <= 3:
        minors = _minors(ring, geometric_jacobian(ring), (0, 1, 2))
        if minors:
            return _narrow(ring, 0, minors)
    options = [_minors(ring, matrix, _ALL) for matrix in frame_jacobians(ring)]
    sizes = [(len(minors), sum(map(len, minors.values()))) for minors in options]
    frame = sizes.index(min(sizes))
    return _narrow(ring, frame, options[frame])


def minor(ring: Ring, matrix: Matrix, rows: Rows, columns: Rows) -> Poly:
    """Return a minor by expansion along its rows, sub-minors shared."""
    found: dict[Rows, Poly] = {(): ring.one}
    for depth, row in enumerate(rows):
        larger: dict[Rows, Poly] = {}
        for chosen in combinations(columns, depth + 1):
            total = ring.zero
            for place, column in enumerate(chosen):
                entry = matrix[row][column]
                if entry:
                    rest = found.get((*chosen[:place], *chosen[place + 1 :]))
                    if rest is not None:
                        total += (-1) ** (depth + place) * entry * rest
            total = ring.reduce(total)
            if total:
                larger[chosen] = total
        found = larger
    return found.get(columns, ring.zero)


def zero_block(matrix: Matrix) -> tuple[Rows, Rows] | None:
    """Return rows and columns of a 3 by 3 block of zeros in a 6 by 6 matrix; None: there is none.

    Blocks of all three velocities or all three angular velocities are preferred.
    """
    rows_first = sorted(combinations(_ALL, 3), key=lambda rows: rows not in {(0, 1, 2), (3, 4, 5)})
    for rows in rows_first:
        empty = [c for c in _ALL if not any(matrix[r][c] for r in rows)]
        if len(empty) >= 3:
            return rows, tuple(empty[-3:])
    return None


def _square(ring: Ring, frames: list[Matrix]) -> Determinant:
    sizes = [_size(matrix, zero_block(matrix)) for matrix in frames]
    frame = sizes.index(min(sizes))
    matrix, block = frames[frame], zero_block(frames[frame])
    if block is None:
        value = minor(ring, matrix, _ALL, _ALL)
    else:
        value = ring.reduce(_by_blocks(ring, matrix, *block))
    return _finish(ring, value, frame, _ALL, block, 1)


def _by_blocks(ring: Ring, matrix: Matrix, rows: Rows, columns: Rows) -> Poly:
    """Return ± det(A) det(C): A the zero block's rows, C its columns (4.85)."""
    others = tuple(c for c in _ALL if c not in columns)
    below = tuple(r for r in _ALL if r not in rows)
    sign = (-1) ** (sum(rows) + sum(others))
    return sign * minor(ring, matrix, rows, others) * minor(ring, matrix, below, columns)


def _minors(ring: Ring, matrix: Matrix, rows: Rows) -> dict[Rows, Poly]:
    """Return the minors of order n that are not zero throughout, by their rows."""
    columns = tuple(range(ring.dof))
    found = {}
    for chosen in combinations(rows, ring.dof):
        value = expand_sums(ring, minor(ring, matrix, chosen, columns))
        if value:
            found[chosen] = value
    return found


def _narrow(ring: Ring, frame: int, minors: dict[Rows, Poly]) -> Determinant:
    if not minors:
        raise _always_singular(ring)
    if len(minors) == 1:
        [(rows, value)] = minors.items()
        return _finish(ring, value, frame, rows, None, 1)
    value = common_factor(ring, list(minors.values()))
    return _finish(ring, value, frame, (), None, len(minors))


def _always_singular(ring: Ring) -> UnsupportedError:
    return UnsupportedError(
        f"arm '{ring.arm.name}' is singular everywhere: its {ring.dof} joints never move the "
        f"tool in {ring.dof} independent ways"
    )


def _finish(
    ring: Ring, value: Poly, frame: int, rows: Rows, block: tuple[Rows, Rows] | None, minors: int
) -> Determinant:
    if not expand_sums(ring, value):
        raise _always_singular(ring)
    factors = factor(ring, value, frozenset(ring.slides.values()))
    return Determinant(collect_sums(ring, value), factors, frame, rows, block, minors)


def _size(matrix: Matrix, block: tuple[Rows, Rows] | None) -> tuple[bool, int]:
    return block is None, sum(len(entry) for line in matrix for entry in line)


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

"""Shapes of facts: what a polynomial looks like in the things that are still unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from armwerk.derivation.inverse.memory import Fact, Memory
from armwerk.derivation.ring import Angle, Poly, Ring


@dataclass(frozen=True, slots=True, eq=False)
class TurnForm:
    """a cos(angle) + b sin(angle) = c with known a, b, c."""

    fact: Fact
    angle: Angle
    a: Poly
    b: Poly
    c: Poly


@dataclass(frozen=True, slots=True, eq=False)
class SlideForm:
    """coefficients[0] + coefficients[1] q + coefficients[2] q² + ... = 0 for a slide q."""

    fact: Fact
    joint: int
    coefficients: tuple[Poly, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PlanarForm:
    """a cos(one) + b sin(one) + c cos(two) + d sin(two) = e with known a to e."""

    fact: Fact
    one: Angle
    two: Angle
    a: Poly
    b: Poly
    c: Poly
    d: Poly
    e: Poly


def turn_form(memory: Memory, fact: Fact) -> TurnForm | None:
    """Return the fact as a `TurnForm` if one angle alone is unknown and occurs linearly."""
    unknown = memory.unknowns(fact)
    if len(unknown) != 1:
        return None
    (angle,) = unknown
    if not isinstance(angle, Angle):
        return None
    parts = split(memory.ring, fact.poly, (angle.cos, angle.sin))
    if not set(parts) <= {(0, 0), (1, 0), (0, 1)}:
        return None
    a, b = part(memory.ring, parts, (1, 0)), part(memory.ring, parts, (0, 1))
    if memory.vanishes(a) and memory.vanishes(b):
        return None
    return TurnForm(fact, angle, a, b, -part(memory.ring, parts, (0, 0)))


def slide_form(memory: Memory, fact: Fact) -> SlideForm | None:
    """Return the fact as a polynomial in the one slide that is unknown in it."""
    unknown = memory.unknowns(fact)
    if len(unknown) != 1:
        return None
    (joint,) = unknown
    if not isinstance(joint, int):
        return None
    parts = split(memory.ring, fact.poly, (memory.ring.slides[joint],))
    degree = max(power for (power,) in parts)
    if degree > 2:
        return None
    coefficients = tuple(part(memory.ring, parts, (k,)) for k in range(degree + 1))
    if memory.vanishes(coefficients[-1]):
        return None
    return SlideForm(fact, joint, coefficients)


def planar_form(memory: Memory, fact: Fact) -> PlanarForm | None:
    """Return the fact as a `PlanarForm` if two angles are unknown and do not mix."""
    unknown = memory.unknowns(fact)
    if len(unknown) != 2 or not all(isinstance(item, Angle) for item in unknown):
        return None
    one, two = sorted(item for item in unknown if isinstance(item, Angle))
    parts = split(memory.ring, fact.poly, (one.cos, one.sin, two.cos, two.sin))
    if any(sum(powers) > 1 for powers in parts):
        return None
    a, b, c, d = (part(memory.ring, parts, tuple(int(i == k) for i in range(4))) for k in range(4))
    if memory.vanishes(a * a + b * b) or memory.vanishes(c * c + d * d):
        return None
    return PlanarForm(fact, one, two, a, b, c, d, -part(memory.ring, parts, (0, 0, 0, 0)))


def split(ring: Ring, poly: Poly, names: Iterable[str]) -> dict[tuple[int, ...], Poly]:
    """Return the coefficients of a polynomial seen as one in the named generators only."""
    places = [ring.index[name] for name in names]
    found: dict[tuple[int, ...], dict[tuple[int, ...], object]] = {}
    for exponents, coefficient in poly.to_dict().items():
        powers = tuple(int(exponents[k]) for k in places)
        rest = list(exponents)
        for k in places:
            rest[k] = 0
        found.setdefault(powers, {})[tuple(rest)] = coefficient
    return {powers: ring.context.from_dict(terms) for powers, terms in found.items()}


def part(ring: Ring, parts: dict[tuple[int, ...], Poly], powers: tuple[int, ...]) -> Poly:
    """Return one coefficient of a split polynomial; zero when it has none."""
    found: Poly = parts.get(powers, ring.zero)
    return found

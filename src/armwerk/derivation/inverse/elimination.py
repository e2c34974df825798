"""Elimination: a Gröbner basis turns equations in several unknowns into one in a single angle.

Section 4.4 of the source. Each unknown angle becomes a pair s, c with c² + s² = 1. What is
known is lumped: every different coefficient becomes one symbol k1, k2, ..., which keeps the
ring small (a basis in all dimensions and pose entries takes minutes, a lumped one
milliseconds). In the lexicographic order the angle that is to stay comes last; an element of
the basis that holds only its sine and cosine, and both linearly, is a new fact for the rules.

Where no basis helps, the length of a position may: three equations squared and added leave out
the joints that only turn it. This and the positions seen from the tip solve arms with a
spherical shoulder and an offset in the elbow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import flint

from armwerk.derivation.equations import positions_from_the_tip
from armwerk.derivation.inverse.forms import split, turn_form
from armwerk.derivation.inverse.memory import Fact, Memory
from armwerk.derivation.inverse.rules.rule import is_constant
from armwerk.derivation.inverse.rules.spatial import length_form
from armwerk.derivation.ring import Angle, Poly

_Product: TypeAlias = tuple[int, tuple[tuple[str, int], ...]]  # integer, powers of symbols
MOST_ANGLES = 3  # unknown angles in one system
MOST_FACTS = 4  # equations in one system, the shortest that fit
MOST_SYSTEMS = 24  # systems tried before elimination gives up
MOST_TERMS = 12  # terms of an equation that may take part
BASIS_LIMITS = (60, 400, 4000)  # elements, terms, bits: beyond this another order is tried


@dataclass(frozen=True, slots=True)
class EliminatedFact:
    """A new fact in one angle, and how it was reached, in one sentence."""

    fact: Fact
    remark: str


@dataclass(frozen=True, slots=True)
class Elimination:
    """A basis that was computed.

    Args:
        angles: Order of the angles, the first is eliminated first, the last stays.
        facts: The equations that went in.
        lumps: Symbols k1, k2, ... and the known terms they stand for.
        basis: The elements of the basis as texts.
        fact: The conclusion: one angle alone, its cosine and sine linear.
    """

    angles: tuple[Angle, ...]
    facts: tuple[Fact, ...]
    lumps: dict[str, Poly]
    basis: tuple[str, ...]
    fact: Fact


def conclude(memory: Memory) -> EliminatedFact | None:
    """Return the first new fact in a single angle, by a basis or by a length."""
    for found in eliminate(memory):
        return EliminatedFact(found.fact, _remark(found))
    positions: dict[tuple[int, int], list[Fact]] = {}
    for fact in memory.facts:
        if fact.place is not None and fact.place[3] == 3:
            positions.setdefault(fact.place[:2], []).append(fact)
    forms = [length_form(memory, facts) for facts in positions.values()]
    facts = [form.fact for form in forms if form is not None]
    if not facts:
        return None
    fact = min(facts, key=lambda fact: len(fact.poly))
    return EliminatedFact(fact, "length of a position: three equations squared and added")


def widen(memory: Memory) -> list[Fact]:
    """Add the positions seen from the tip; return the new facts."""
    reason = "position seen from the tip"
    found = []
    for first, last, row, poly in positions_from_the_tip(memory.ring):
        # first and last stand the other way round: these are not entries of the same matrix
        fact = memory.add(poly, (), (last, -first, row, 3), reason)
        if fact is not None:
            found.append(fact)
    return found


def _remark(elimination: Elimination) -> str:
    order = " > ".join(f"{a.sin} > {a.cos}" for a in elimination.angles)
    return (
        f"Gröbner basis of {len(elimination.facts)} equations in "
        f"{', '.join(str(a) for a in elimination.angles)} with {len(elimination.lumps)} lumped "
        f"coefficients, order {order}: {len(elimination.basis)} elements"
    )


def eliminate(memory: Memory) -> Iterator[Elimination]:
    """Return conclusions in one angle, simplest systems first."""
    for angles, facts in _systems(memory):
        orders = [(*(a for a in angles if a != last), last) for last in angles]
        found = [_basis_conclusion(memory, order, facts) for order in orders]
        yield from sorted((e for e in found if e is not None), key=lambda e: _cost(memory, e))


def _cost(memory: Memory, elimination: Elimination) -> tuple[int, int]:
    """Angles whose cosine and sine have constant factors come first: they are never free."""
    form = turn_form(memory, elimination.fact)
    if form is None:
        return (2, 0)
    fixed = is_constant(memory, form.a) and is_constant(memory, form.b)
    return (0 if fixed else 1, len(elimination.fact.poly))


def _systems(memory: Memory) -> Iterator[tuple[tuple[Angle, ...], tuple[Fact, ...]]]:
    """Return sets of angles with at least as many short equations in them alone."""
    usable: list[tuple[frozenset[Angle], Fact]] = []
    for fact in memory.facts:
        unknown = memory.unknowns(fact)
        if 2 <= len(unknown) <= MOST_ANGLES and len(fact.poly) <= MOST_TERMS:
            angles = frozenset(item for item in unknown if isinstance(item, Angle))
            if len(angles) == len(unknown):
                usable.append((angles, fact))
    usable.sort(key=lambda item: (len(item[0]), len(item[1].poly)))
    seen: set[frozenset[Angle]] = set()
    found = []
    for size in range(1, MOST_ANGLES + 1):
        for group in combinations(dict.fromkeys(angles for angles, _ in usable), size):
            union = frozenset().union(*group)
            if union in seen or not 2 <= len(union) <= MOST_ANGLES:
                continue
            seen.add(union)
            facts = [fact for angles, fact in usable if angles <= union]
            if len(facts) >= len(union):
                found.append((tuple(sorted(union)), tuple(facts[:MOST_FACTS])))
    found.sort(key=lambda item: (len(item[0]), sum(len(fact.poly) for fact in item[1])))
    yield from found[:MOST_SYSTEMS]


def _basis_conclusion(
    memory: Memory, angles: tuple[Angle, ...], facts: tuple[Fact, ...]
) -> Elimination | None:
    """Return the linear conclusion in the last angle, if the basis has one."""
    names = [name for angle in angles for name in (angle.sin, angle.cos)]
    lumped, lumps = _lump(memory, facts, names)
    context = flint.fmpz_mpoly_ctx.get([*names, *lumps], flint.Ordering.lex)
    gens = dict(zip([*names, *lumps], context.gens(), strict=True))
    zero = context.constant(0)
    system = [
        sum((_monomial(gens, names, powers, term) for powers, term in poly), zero)
        for poly in lumped
    ]
    system += [gens[a.sin] ** 2 + gens[a.cos] ** 2 - 1 for a in angles]
    vector = flint.fmpz_mpoly_vec(system, context)
    basis, _ = vector.buchberger_naive(limits=BASIS_LIMITS)
    last = angles[-1]
    hidden = [context.variable_to_index(name) for name in names if name not in (last.sin, last.cos)]
    here = [context.variable_to_index(last.cos), context.variable_to_index(last.sin)]
    elements = [basis[k] for k in range(len(basis))]
    for element in sorted(elements, key=len):
        degrees = element.degrees()
        if any(degrees[k] for k in hidden) or not any(degrees[k] for k in here):
            continue
        fact = _conclusion(memory, element, context, lumps, last, facts)
        if fact is not None:
            texts = tuple(str(e) for e in elements)
            return Elimination(angles, facts, lumps, texts, fact)
    return None


def _lump(
    memory: Memory, facts: tuple[Fact, ...], names: list[str]
) -> tuple[list[list[tuple[tuple[int, ...], _Product]]], dict[str, Poly]]:
    """Return the facts with the factors of their coefficients replaced by symbols."""
    lumps: dict[str, Poly] = {}
    lumped = []
    for fact in facts:
        parts = split(memory.ring, fact.poly, names)
        lumped.append([(powers, _product(term, lumps)) for powers, term in parts.items()])
    return lumped, lumps


def _product(coefficient: Poly, lumps: dict[str, Poly]) -> _Product:
    """Return a coefficient as an integer and powers of symbols, one for each factor."""
    number, factors = coefficient.factor()
    number = int(number)
    symbols: list[tuple[str, int]] = []
    for factor, power in factors:
        name = None
        for known, value in lumps.items():
            if value in (factor, -factor):
                name = known
                number *= (1 if value == factor else -1) ** int(power)
        if name is None:
            name = f"k{len(lumps) + 1}"
            lumps[name] = factor
        symbols.append((name, int(power)))
    return number, tuple(symbols)


def _monomial(
    gens: dict[str, Poly], names: list[str], powers: tuple[int, ...], term: _Product
) -> Poly:
    number, symbols = term
    product = 0 * gens[names[0]] + number
    for name, power in (*zip(names, powers, strict=True), *symbols):
        if power:
            product *= gens[name] ** power
    return product


def _conclusion(
    memory: Memory,
    element: Poly,
    context: object,
    lumps: dict[str, Poly],
    angle: Angle,
    facts: tuple[Fact, ...],
) -> Fact | None:
    """Put the known terms back in place of k1, k2, ... and check that something is left."""
    ring = memory.ring
    images = {angle.cos: ring[angle.cos], angle.sin: ring[angle.sin], **lumps}
    names = context.names()  # type: ignore[attr-defined]
    total = ring.zero
    for exponents, coefficient in element.to_dict().items():
        term = ring.context.constant(int(coefficient))
        for name, power in zip(names, exponents, strict=True):
            if power:
                term *= images[name] ** int(power)
        total += term
    poly = ring.reduce(total)
    poly = poly.primitive()[1]
    equations = tuple(sorted({number for fact in facts for number in fact.equations}))
    unknowns = frozenset(ring.angles_in(poly) | ring.slides_in(poly))
    fact = Fact(poly, equations, None, "Gröbner basis", unknowns)
    return fact if turn_form(memory, fact) is not None else None

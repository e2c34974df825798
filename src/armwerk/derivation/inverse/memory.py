"""The working memory: facts, what is known so far, and postures at which steps are tried.

A fact is a polynomial that is zero. Solving for a joint does not change a polynomial, it only
moves its cosine and sine from the unknown to the known side; so a fact is stored once, and
matched again only when one of its own unknowns has become known. Steps are tried at postures whose
joints are known: a conclusion must lead back to them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from armwerk.derivation.direct import segment
from armwerk.derivation.equations import Equation
from armwerk.derivation.line_pair import line_pair
from armwerk.derivation.program import Expression, Let, LinePair, Root, Slide, Step, Sum, Turn
from armwerk.derivation.ring import POSE_ROWS, Angle, Poly, Ring

Unknown: TypeAlias = Angle | int  # a joint angle or sum of angles; or the number of a slide
PROBES = 3  # random postures at which every conclusion is tried
PROBE_SEED = 20250607
LONGEST = 0.8137420953  # length at a probe of the arm's longest dimension, whatever its unit; it
# and its powers are nobody's neat number, so that no length passes for a 1
VANISHES = 1e-9  # below this a quantity counts as zero at a probe; probes are of size 1
RECOVERED = 1e-6  # [rad], [m]: a posture counts as found again; probes are far from singular
FREE = 1e-9  # a sine and cosine below this leave the angle free


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A polynomial that is zero, with its origin.

    Args:
        poly: The polynomial.
        equations: Numbers of the kinematic equations it comes from.
        place: First and last joint, row and column of the matrix entry; None for a conclusion.
        reason: How it was concluded; empty for a kinematic equation.
        unknowns: All angles and slides in it, known or not.
    """

    poly: Poly
    equations: tuple[int, ...]
    place: tuple[int, int, int, int] | None
    reason: str
    unknowns: frozenset[Unknown]


class Memory:
    """Facts, known joints and probes.

    Args:
        ring: The algebra of the arm.
        equations: Its kinematic equations.
        given: Joints whose value is an input.
    """

    def __init__(
        self, ring: Ring, equations: Iterable[Equation], given: Iterable[int] = ()
    ) -> None:
        self.ring = ring
        self.known: set[Unknown] = set()
        self.facts: list[Fact] = []
        self._seen: set[str] = set()
        self._index = {name: k for k, name in enumerate(ring.names)}
        self.probes = [probe_of(ring, seed) for seed in range(PROBES)]
        self._members = _group_members(ring)
        for joint in given:
            self.learn(joint if joint in ring.slides else Angle(((joint, 1),)))
        for e in equations:
            place = (e.first, e.last, e.row, e.column)
            self.add(e.poly, (e.number,), place)

    def add(
        self,
        poly: Poly,
        equations: tuple[int, ...],
        place: tuple[int, int, int, int] | None = None,
        reason: str = "",
    ) -> Fact | None:
        """Store a fact unless it is there already or says nothing; return it if it is new."""
        ring = self.ring
        unknowns = frozenset(ring.angles_in(poly) | ring.slides_in(poly))
        if not unknowns:
            return None
        canonical = poly.primitive()[1]
        if canonical.leading_coefficient() < 0:
            canonical = -canonical
        text = str(canonical)
        if text in self._seen:
            return None
        self._seen.add(text)
        fact = Fact(poly, equations, place, reason, unknowns)
        self.facts.append(fact)
        return fact

    def unknowns(self, fact: Fact) -> frozenset[Unknown]:
        """Return what is still unknown in a fact."""
        return frozenset(item for item in fact.unknowns if not self.is_known(item))

    def is_known(self, item: Unknown) -> bool:
        """Whether an angle or slide has been found, or follows from found ones by adding."""
        return item in self.known

    def learn(self, item: Unknown) -> list[Sum]:
        """Note that ``item`` is known; return the sums of angles that follow from it."""
        self.known.add(item)
        if isinstance(item, int):
            return []
        return [
            self._sum(angle)
            for angle in self.ring.angles
            if angle not in self.known and self._path(angle) is not None
        ]

    def settle(self, sums: Iterable[Sum]) -> None:
        """Note that the given sums of angles are known."""
        self.known.update(step.angle for step in sums)

    def unsolved(self) -> list[int]:
        """Return the joints still unknown."""
        ring = self.ring
        return [
            joint
            for joint in range(1, ring.dof + 1)
            if (joint if joint in ring.slides else Angle(((joint, 1),))) not in self.known
        ]

    # -- probes -----------------------------------------------------------------------------

    def at_probes(self, poly: Poly) -> list[float]:
        """Return the value of a polynomial at each probe."""
        return [self.ring.evaluate(poly, probe) for probe in self.probes]

    def vanishes(self, poly: Poly) -> bool:
        """Whether a polynomial is zero at every probe, and so on every pose of the arm."""
        return not poly or all(abs(value) < VANISHES for value in self.at_probes(poly))

    def never_vanishes(self, poly: Poly) -> bool:
        """Whether a polynomial is away from zero at every probe."""
        return bool(poly) and all(abs(value) > VANISHES for value in self.at_probes(poly))

    # -- sums of parallel angles --------------------------------------------------------------

    def _ends(self, angle: Angle) -> tuple[int, int, int, int]:
        """Return group, node before, node behind and sign of the first member of a sum.

        With P_k the signed sum of the first k angles of the group, the angle of members a to b
        is sense_a (P_{b+1} - P_a): known sums are edges between the nodes P.
        """
        group, first, sense = self._members[angle.terms[0][0]]
        return group, first, first + len(angle.terms), sense

    def _edges(self, group: int) -> list[tuple[int, int, int, Angle]]:
        edges = []
        for angle in sorted(a for a in self.known if isinstance(a, Angle)):
            this, start, end, sense = self._ends(angle)
            if this == group:
                edges.append((start, end, sense, angle))
        return edges

    def _path(self, angle: Angle) -> list[tuple[int, Angle]] | None:
        """Return known angles with signs that add up to ``angle``; the fewest that do."""
        group, start, end, sense = self._ends(angle)
        edges = self._edges(group)
        reached: dict[int, list[tuple[int, Angle]]] = {start: []}
        frontier = [start]
        while frontier and end not in reached:
            following = []
            for node in frontier:
                for low, high, own, other in edges:
                    for source, target, way in ((low, high, 1), (high, low, -1)):
                        if source == node and target not in reached:
                            reached[target] = [*reached[node], (way * own * sense, other)]
                            following.append(target)
            frontier = following
        return reached.get(end)

    def _sum(self, angle: Angle) -> Sum:
        path = self._path(angle)
        return Sum(angle, tuple(path or ()))


def _group_members(ring: Ring) -> dict[int, tuple[int, int, int]]:
    """Return for every revolute joint its group, place in the group and sense there."""
    members: dict[int, tuple[int, int, int]] = {}
    sizes: dict[int, int] = {}
    for row, sense in zip(ring.rows, ring.senses, strict=True):
        if row.is_revolute:
            place = sizes.get(row.group, 0)
            members[row.joint] = (row.group, place, sense)
            sizes[row.group] = place + 1
    return members


def probe_of(ring: Ring, seed: int) -> dict[str, float]:
    """Return numbers for every generator at a random posture; symbols get random values too."""
    draw = random.Random(PROBE_SEED + seed)
    values = {name: draw.uniform(0.3, 1.3) for name in ring.parameters}
    scale = LONGEST / max(ring.values.values(), default=LONGEST)
    values |= {name: scale * length for name, length in ring.values.items()}
    for tag in ring.twists:
        size = ring.twist_value(tag)
        size = draw.uniform(0.4, 1.2) if size is None else size
        values[f"c{tag}"], values[f"s{tag}"] = math.cos(size), math.sin(size)
    theta = {j: draw.uniform(-math.pi, math.pi) for j in range(1, ring.dof + 1)}
    values |= {name: draw.uniform(0.2, 1.0) for name in ring.slides.values()}
    for angle in ring.angles:
        total = sum(sign * theta[joint] for joint, sign in angle.terms)
        values[angle.cos], values[angle.sin] = math.cos(total), math.sin(total)
    reached = segment(ring, 1, ring.dof)
    pose = {
        name: ring.evaluate(entry, values)
        for names, line in zip(POSE_ROWS, reached, strict=True)
        for name, entry in zip(names, line, strict=True)
    }
    return values | pose


def holds(memory: Memory, steps: Sequence[Step]) -> bool:
    """Whether at every probe some branch of the steps gives the probe's own joint values."""
    return all(recovered(steps, probe) is not None for probe in memory.probes)


def recovered(steps: Sequence[Step], probe: dict[str, float]) -> dict[str, float] | None:
    """Return the probe with the helpers of the branch that gives its own joint values.

    None when no branch does.
    """
    values = dict(probe)
    for k, step in enumerate(steps):
        match step:
            case Let(name, value):
                values[name] = number(value, values)
            case Root(name, radicand):
                square = number(radicand, values)
                if square < -RECOVERED:
                    return None
                size = math.sqrt(max(square, 0.0))
                rest = steps[k + 1 :]
                ways = (recovered(rest, {**values, name: s * size}) for s in (1, -1))
                return next((way for way in ways if way is not None), None)
            case Turn(angle, sine, cosine):
                y, x = number(sine, values), number(cosine, values)
                true = math.atan2(values[angle.sin], values[angle.cos])
                if math.hypot(y, x) < FREE or not _same_angle(math.atan2(y, x), true):
                    return None
            case Slide(joint, numerator, denominator):
                d = number(denominator, values)
                if abs(d) < FREE:
                    return None
                if abs(number(numerator, values) / d - values[f"q{joint}"]) > RECOVERED:
                    return None
            case LinePair(names, coefficients):
                lines = line_pair(*(number(one, values) for one in coefficients))
                values |= dict(zip(names, lines, strict=True))
            case Sum():
                pass
    return values


def number(expression: Expression, values: dict[str, float]) -> float:
    """Return the value of an expression."""
    needed = {symbol: values[symbol.name] for symbol in expression.free_symbols}
    return float(expression.subs(needed))


def _same_angle(one: float, two: float) -> bool:
    return abs(math.remainder(one - two, 2 * math.pi)) < RECOVERED

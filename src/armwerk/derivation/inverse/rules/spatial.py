"""Rules for a position in space that holds several unknown joints: theorems 4.10 and 4.11."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import symengine

from armwerk.derivation.inverse.forms import TurnForm, part, split, turn_form
from armwerk.derivation.inverse.memory import Fact, Memory, Unknown
from armwerk.derivation.inverse.rules.rule import Match, Rule, StepNames, expression
from armwerk.derivation.inverse.rules.turning import two_fold
from armwerk.derivation.program import Root, Step, Turn
from armwerk.derivation.ring import Angle, Poly, Terms


class SquareAndAdd(Rule):
    """Three components of one position whose length holds a single cosine: theorem 4.11."""

    theorem, title, branches, priority = "4.11", "length of a position", 2, 60
    pattern = r"x^2 + y^2 + z^2 \text{ of a position leaves } a\cos\theta + b\sin\theta = c"
    solution = r"w = \pm\sqrt{a^2 + b^2 - c^2},\ \theta = \atantwo(bc + aw,\ ac - bw)"

    def match(self, memory: Memory, facts: Sequence[Fact]) -> Iterator[Match]:
        """Offer the angle whose cosine alone is left in the sum of the three squares."""
        form = length_form(memory, facts)
        if form is None or (form.a and form.b):
            return
        yield Match(
            self,
            form.angle,
            tuple(facts),
            {"a": form.a, "b": form.b, "c": form.c},
            2 * len(form.a) + 2 * len(form.b) + len(form.c),
            lambda names: two_fold(memory, form, names),
        )


def length_form(memory: Memory, facts: Sequence[Fact]) -> TurnForm | None:
    """Return what the length of a position says, if a single angle is left in it.

    Each of the three facts is u + k = 0 with unknown terms u and known terms k; the sum of
    the u² is equal to the sum of the k².
    """
    ring = memory.ring
    if len(facts) != 3:
        return None
    left, right = ring.zero, ring.zero
    for fact in facts:
        unknown_part, known_part = _parts(memory, fact)
        left, right = left + unknown_part**2, right + known_part**2
    poly = ring.reduce(left) - ring.reduce_pose(right)
    equations = tuple(n for fact in facts for n in fact.equations)
    unknowns = frozenset(ring.angles_in(poly) | ring.slides_in(poly))
    return turn_form(memory, Fact(poly, equations, None, "length of a position", unknowns))


def _parts(memory: Memory, fact: Fact) -> tuple[Poly, Poly]:
    """Split a fact into terms with unknowns and terms without: unknown + known = 0."""
    ring = memory.ring
    hidden = [
        ring.index[name]
        for item in memory.unknowns(fact)
        for name in ((item.cos, item.sin) if isinstance(item, Angle) else (ring.slides[item],))
    ]
    unknown: Terms = {}
    known: Terms = {}
    for exponents, coefficient in fact.poly.to_dict().items():
        target = unknown if any(exponents[k] for k in hidden) else known
        target[exponents] = coefficient
    return ring.context.from_dict(unknown), ring.context.from_dict(known)


class Swing(Rule):
    """A vector of known side offset turned about one axis: theorem 4.10.

    x cos - c sin = d, x sin + c cos = e with an unknown x (whatever joints it holds) and a
    known c: squaring and adding gives x = ±sqrt(d² + e² - c²).
    """

    theorem, title, branches, priority = "4.10", "swing about one axis", 2, 55
    pattern = r"x\cos\theta - c\sin\theta = d,\quad x\sin\theta + c\cos\theta = e"
    solution = r"w = \pm\sqrt{d^2 + e^2 - c^2},\ \theta = \atantwo(we - cd,\ wd + ce)"

    def match(self, memory: Memory, facts: Sequence[Fact]) -> Iterator[Match]:
        """Offer the angle of such a pair of facts."""
        ring = memory.ring
        for first, second in combinations(facts, 2):
            shared = memory.unknowns(first) & memory.unknowns(second)
            for angle in shared:
                if not isinstance(angle, Angle):
                    continue
                one = split(ring, first.poly, (angle.cos, angle.sin))
                two = split(ring, second.poly, (angle.cos, angle.sin))
                if not set(one) | set(two) <= {(0, 0), (1, 0), (0, 1)}:
                    continue
                yield from self._offer(memory, angle, (first, second), one, two)

    def _offer(
        self,
        memory: Memory,
        angle: Angle,
        facts: tuple[Fact, Fact],
        one: dict[tuple[int, ...], Poly],
        two: dict[tuple[int, ...], Poly],
    ) -> Iterator[Match]:
        for sign in (1, -1):
            x, y = part(memory.ring, one, (1, 0)), sign * part(memory.ring, two, (0, 1))
            c, other = -part(memory.ring, one, (0, 1)), sign * part(memory.ring, two, (1, 0))
            d, e = -part(memory.ring, one, (0, 0)), -sign * part(memory.ring, two, (0, 0))
            if x != y or c != other or not x:
                continue
            if any(not self._all_known(memory, term) for term in (c, d, e)):
                continue

            def steps(names: StepNames, c: Poly = c, d: Poly = d, e: Poly = e) -> list[Step]:
                done: list[Step] = []
                kc, kd, ke = (
                    names.share(expression(memory, term), done, f"{letter}{angle.tag}")
                    for term, letter in ((c, "C"), (d, "D"), (e, "E"))
                )
                root = names.root()
                h = symengine.Symbol(root)
                return [
                    *done,
                    Root(root, kd * kd + ke * ke - kc * kc),
                    Turn(angle, h * ke - kc * kd, h * kd + kc * ke),
                ]

            cost = 2 * (len(c) + len(d) + len(e))
            yield Match(self, angle, facts, {"c": c, "d": d, "e": e}, cost, steps)

    @staticmethod
    def _all_known(memory: Memory, poly: Poly) -> bool:
        ring = memory.ring
        items: list[Unknown] = [*ring.angles_in(poly), *ring.slides_in(poly)]
        return all(memory.is_known(item) for item in items)

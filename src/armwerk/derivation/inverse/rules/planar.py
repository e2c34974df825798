"""Rules for two links that turn in one plane: theorems 4.7 to 4.9."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import symengine

from armwerk.derivation.inverse.forms import PlanarForm
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.rules.rule import (
    Match,
    Rule,
    StepNames,
    definite_sign,
    expression,
    is_constant,
)
from armwerk.derivation.inverse.rules.turning import two_fold_steps
from armwerk.derivation.program import Step, Turn
from armwerk.derivation.ring import Angle

_DIRECTION = (
    r"\psi = \atantwo(f k_1 - e k_2,\ e k_1 + f k_2),\ k_1 = a\cos\delta + b\sin\delta + c,\ "
    r"k_2 = a\sin\delta - b\cos\delta - d"
)


class TwoLinks(Rule):
    """Two turning vectors that add up to a known one: theorems 4.8 and 4.9.

    With z = exp(i angle) the two equations are u z_one + v z_two = w in complex numbers. The
    length of w gives the difference of the angles, its direction then the second angle.
    """

    theorem, title, branches, priority = "4.9", "two links in a plane", 2, 50
    pattern = (
        r"a\cos\varphi + b\sin\varphi + c\cos\psi + d\sin\psi = e,\quad "
        r"-b\cos\varphi + a\sin\varphi - d\cos\psi + c\sin\psi = f"
    )
    solution = (
        r"\delta = \varphi - \psi:\ 2(ac + bd)\cos\delta + 2(bc - ad)\sin\delta = "
        r"e^2 + f^2 - a^2 - b^2 - c^2 - d^2;\ " + _DIRECTION
    )

    def match(self, memory: Memory, forms: Sequence[PlanarForm]) -> Iterator[Match]:
        """Offer every pair of equations that are the two components of one such sum."""
        for first, second in combinations(forms, 2):
            sense = _turned_alike(memory, first, second)
            if sense:
                yield from self._offer(memory, first, second, sense)

    def _offer(
        self, memory: Memory, first: PlanarForm, second: PlanarForm, sense: int
    ) -> Iterator[Match]:
        difference = angle_difference(memory, first.one, first.two)
        if difference is None:
            return
        sign, delta = difference
        ring = memory.ring
        # u = a - i b, v = c - i d, w = e + i sense f
        p = ring.reduce(first.a * first.c + first.b * first.d)
        q = ring.reduce(first.a * first.d - first.b * first.c)
        lengths = ring.reduce(first.a**2 + first.b**2 + first.c**2 + first.d**2)
        known = memory.is_known(delta)
        if memory.vanishes(p) and memory.vanishes(q):
            return

        def steps(names: StepNames) -> list[Step]:
            done: list[Step] = []
            e = names.share(expression(memory, first.e), done, "u")
            f = names.share(sense * expression(memory, second.e), done, "v")
            if not known:
                size = e * e + f * f - expression(memory, lengths)
                cosine, sine = (
                    expression(memory, 2 * p),
                    expression(memory, -2 * sign * q),
                )
                single = 0 if p and q else (definite_sign(memory, p or q) * (1 if p else -sign))
                done += two_fold_steps(delta, cosine, sine, size, single, names)
            cd, sd = symengine.Symbol(delta.cos), sign * symengine.Symbol(delta.sin)
            a, b, c, d = (expression(memory, x) for x in (first.a, first.b, first.c, first.d))
            real = names.share(a * cd + b * sd + c, done, "k")  # u exp(i delta) + v
            imaginary = names.share(a * sd - b * cd - d, done, "k")
            turn = Turn(first.two, f * real - e * imaginary, e * real + f * imaginary)
            return [*done, turn]

        terms = {
            "a": first.a, "b": first.b, "c": first.c, "d": first.d, "e": first.e,
            "f": sense * second.e,
        }  # fmt: skip
        # Links of constant length leave the angle between them free at no pose.
        fixed = is_constant(memory, p) and is_constant(memory, q)
        cost = 2 * (len(first.e) + len(second.e)) + len(p) + len(q) + (0 if fixed else 50)
        facts = (first.fact, second.fact)
        angles = ((r"\varphi", first.one), (r"\psi", first.two))
        if known:
            yield Match(DirectionOfSum(), first.two, facts, terms, cost, steps, angles=angles)
        else:
            yield Match(self, delta, facts, terms, cost, steps, (first.two,), angles)


class DirectionOfSum(TwoLinks):
    """The same with the difference of the angles known: the addition theorem and 4.2."""

    theorem, title, branches, priority = "4.2 (sum)", "direction of two links", 1, 15
    solution = r"\delta = \varphi - \psi:\ " + _DIRECTION


def angle_difference(memory: Memory, one: Angle, two: Angle) -> tuple[int, Angle] | None:
    """Return sign and angle with one - two = sign * angle, if that is a sum of the group."""
    terms: dict[int, int] = dict(one.terms)
    for joint, sign in two.terms:
        terms[joint] = terms.get(joint, 0) - sign
    left = tuple((joint, sign) for joint, sign in sorted(terms.items()) if sign)
    if not left or any(abs(sign) != 1 for _, sign in left):
        return None
    lead = left[0][1]
    angle = Angle(tuple((joint, sign * lead) for joint, sign in left))
    return (lead, angle) if angle in memory.ring.angles else None


def _turned_alike(memory: Memory, first: PlanarForm, second: PlanarForm) -> int:
    """Return ±1 if the second equation is ± the first one turned by a quarter, else 0."""
    if (first.one, first.two) != (second.one, second.two):
        return 0
    for sense in (1, -1):
        pairs = (
            (second.a, -sense * first.b),
            (second.b, sense * first.a),
            (second.c, -sense * first.d),
            (second.d, sense * first.c),
        )
        if all(memory.ring.reduce(x - y) == 0 for x, y in pairs):
            return sense
    return 0

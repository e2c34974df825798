"""Rules for one angle in one or two equations: theorems 4.1 to 4.6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import symengine

from armwerk.derivation.inverse.forms import TurnForm
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.rules.rule import Match, Rule, StepNames, definite_sign, expression
from armwerk.derivation.program import Expression, Root, Step, Turn
from armwerk.derivation.ring import Angle, Poly


class Pair(Rule):
    """Two equations in the cosine and sine of one angle: theorems 4.1 and 4.2."""

    theorem, title, branches, priority = "4.2", "cosine and sine from two equations", 1, 10
    pattern = r"a\cos\theta + b\sin\theta = c,\quad d\cos\theta + e\sin\theta = f"
    solution = r"\Delta = ae - bd,\ \theta = \atantwo\bigl((af - cd)\Delta,\ (ce - bf)\Delta\bigr)"

    def match(self, memory: Memory, forms: Sequence[TurnForm]) -> Iterator[Match]:
        """Offer every pair whose determinant does not vanish."""
        for one, two in combinations(forms, 2):
            delta = memory.ring.reduce(one.a * two.b - one.b * two.a)
            if not delta or not memory.never_vanishes(delta):
                continue
            sine = memory.ring.reduce(one.a * two.c - one.c * two.a)
            cosine = memory.ring.reduce(one.c * two.b - one.b * two.c)
            sign = _quarter_turn(one, two)
            if not sign:
                sine, cosine, delta = _without_common_factor(sine, cosine, delta)
            yield self._offer(memory, one, two, sine, cosine, delta, sign)

    def _offer(
        self,
        memory: Memory,
        one: TurnForm,
        two: TurnForm,
        sine: Poly,
        cosine: Poly,
        delta: Poly,
        sign: int,
    ) -> Match:
        plain = not one.a * one.b and not two.a * two.b
        rule = SineAndCosine() if plain else self
        sign = sign or definite_sign(memory, delta)
        # A determinant that can vanish makes the angle free at some poses; such pairs wait
        # until nothing better is on the agenda.
        doubt = 0 if sign else 30 + 5 * len(delta)

        def steps(_: StepNames) -> list[Step]:
            factor = sign or expression(memory, delta)
            if sign < 0:
                return [
                    Turn(
                        one.angle,
                        expression(memory, -sine),
                        expression(memory, -cosine),
                    )
                ]
            return [
                Turn(
                    one.angle,
                    expression(memory, sine) * factor,
                    expression(memory, cosine) * factor,
                )
            ]

        terms = {"a": one.a, "b": one.b, "c": one.c, "d": two.a, "e": two.b, "f": two.c}
        if plain:
            first, second = (one, two) if one.b else (two, one)
            terms = {"b": first.b, "c": first.c, "d": second.a, "f": second.c}
        cost = len(sine) + len(cosine) + doubt
        return Match(rule, one.angle, (one.fact, two.fact), terms, cost, steps)


class SineAndCosine(Pair):
    """One equation for the sine, one for the cosine."""

    theorem, title = "4.1", "sine and cosine"
    pattern = r"b\sin\theta = c,\quad d\cos\theta = f"
    solution = r"\theta = \atantwo(c/b,\ f/d)"


class Homogeneous(Rule):
    """a cos + b sin = 0: two angles, half a turn apart."""

    theorem, title, branches, priority = "4.6", "direction up to half a turn", 2, 20
    pattern = r"a\cos\theta + b\sin\theta = 0"
    solution = r"w = \pm 1,\ \theta = \atantwo(w a,\ -w b)"

    def match(self, memory: Memory, form: TurnForm) -> Iterator[Match]:
        """Offer theta = atan2(±a, ∓b)."""
        if memory.vanishes(form.c) and not memory.vanishes(form.a * form.b):

            def steps(names: StepNames) -> list[Step]:
                root = names.root()
                sign = symengine.Symbol(root)
                return [
                    Root(root, symengine.Integer(1)),
                    Turn(
                        form.angle,
                        sign * expression(memory, form.a),
                        sign * expression(memory, -form.b),
                    ),
                ]

            terms = {"a": form.a, "b": form.b}
            cost = len(form.a) + len(form.b)
            yield Match(self, form.angle, (form.fact,), terms, cost, steps)


class General(Rule):
    """a cos + b sin = c: two angles."""

    theorem, title, branches, priority = "4.5", "cosine and sine in one equation", 2, 40
    pattern = r"a\cos\theta + b\sin\theta = c"
    solution = r"w = \pm\sqrt{a^2 + b^2 - c^2},\ \theta = \atantwo(bc + aw,\ ac - bw)"

    def match(self, memory: Memory, form: TurnForm) -> Iterator[Match]:
        """Offer both solutions."""
        terms = {"a": form.a, "b": form.b, "c": form.c}
        cost = 2 * (len(form.a) + len(form.b)) + len(form.c)
        rule: Rule = self
        if not form.a or memory.vanishes(form.a):
            rule = Sine()
        elif not form.b or memory.vanishes(form.b):
            rule = Cosine()
        if memory.vanishes(form.c) and rule is self:
            return
        yield Match(
            rule, form.angle, (form.fact,), terms, cost, lambda names: two_fold(memory, form, names)
        )


class Sine(General):
    """b sin = c."""

    theorem, title, priority = "4.3", "sine", 30
    pattern = r"b\sin\theta = c"
    solution = r"w = \pm\sqrt{b^2 - c^2},\ \theta = \atantwo(c/b,\ w/b)"


class Cosine(General):
    """a cos = c."""

    theorem, title, priority = "4.4", "cosine", 30
    pattern = r"a\cos\theta = c"
    solution = r"w = \pm\sqrt{a^2 - c^2},\ \theta = \atantwo(w/a,\ c/a)"


def two_fold(memory: Memory, form: TurnForm, names: StepNames) -> list[Step]:
    """Return the steps of a cos + b sin = c."""
    zero = memory.ring.zero
    a = zero if memory.vanishes(form.a) else form.a
    b = zero if memory.vanishes(form.b) else form.b
    ea, eb, ec = (expression(memory, term) for term in (a, b, form.c))
    sign = 0 if a and b else definite_sign(memory, a or b)
    return two_fold_steps(form.angle, ea, eb, ec, sign, names)


def two_fold_steps(
    angle: Angle, a: Expression, b: Expression, c: Expression, sign: int, names: StepNames
) -> list[Step]:
    """Return the steps of a cos + b sin = c for expressions a, b, c.

    With w = ±sqrt(a² + b² - c²) the solutions are proportional to
    cos = a c - b w, sin = b c + a w.

    Args:
        angle: The unknown.
        a, b, c: The known terms.
        sign: Sign of a when b is zero, or of b when a is; 0 when it is not certain.
        names: Fresh names.
    """
    steps: list[Step] = []
    index = angle.tag
    a, b, c = (
        names.share(term, steps, f"{letter}{index}")
        for term, letter in ((a, "A"), (b, "B"), (c, "C"))
    )
    root = names.root()
    w = symengine.Symbol(root)
    if sign and b == 0:  # cos = c / a, sin = w / |a|
        return [*steps, Root(root, a * a - c * c), Turn(angle, w, sign * c)]
    if sign and a == 0:
        return [*steps, Root(root, b * b - c * c), Turn(angle, sign * c, w)]
    return [*steps, Root(root, a * a + b * b - c * c), Turn(angle, b * c + a * w, a * c - b * w)]


def _quarter_turn(one: TurnForm, two: TurnForm) -> int:
    """Return ±1 if the determinant of two equations is ±(a² + b²), else 0."""
    for sign in (1, -1):
        if two.a == -sign * one.b and two.b == sign * one.a:
            return sign
    return 0


def _without_common_factor(*polys: Poly) -> tuple[Poly, ...]:
    common = polys[0]
    for poly in polys[1:]:
        common = common.gcd(poly)
    return tuple(poly / common for poly in polys) if not common.is_one() else polys

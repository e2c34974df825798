"""The knowledge base: one rule, one small piece, with the theorem it rests on.

A rule looks at forms of facts and offers matches; a match knows how to fire. Theorem numbers
are those of the source, section 4.3.1. Numbers in `priority` order the agenda: unique before
two-fold, cheap before dear. Every match has been tried at random postures of the arm before
it is offered, so a rule never divides by something that is zero for this arm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from armwerk.derivation.inverse.forms import PlanarForm, SlideForm, TurnForm
from armwerk.derivation.inverse.memory import Fact, Memory, Unknown
from armwerk.derivation.program import Expression, Let, Root, Slide, Step, Turn
from armwerk.derivation.ring import Angle, Poly


@dataclass(slots=True)
class Names:
    """Hands out names of roots (w1, w2, ...) and of shared values (h1, h2, ...)."""

    roots: int = 0
    values: int = 0

    def root(self) -> str:
        """Return the name of the next square root."""
        self.roots += 1
        return f"w{self.roots}"

    def share(self, value: Expression, steps: list[Step]) -> Expression:
        """Return a symbol for ``value``, putting its `Let` into ``steps``; atoms stay as are."""
        if not value.args or (value.is_Mul and all(not part.args for part in value.args)):
            return value
        self.values += 1
        name = f"h{self.values}"
        steps.append(Let(name, value))
        return _symbol(name)


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A rule together with the facts that satisfy it.

    Args:
        rule: The rule.
        unknown: What it solves for.
        facts: The facts it uses.
        terms: The known terms a, b, c ... of the theorem, by name.
        cost: Number of terms to be evaluated; cheaper matches fire first.
        steps: Makes the steps of the programme, given fresh names.
        also: Further unknowns it solves in passing.
    """

    rule: Rule
    unknown: Unknown
    facts: tuple[Fact, ...]
    terms: dict[str, Poly]
    cost: int
    steps: Callable[[Names], list[Step]]
    also: tuple[Unknown, ...] = ()


class Rule:
    """What all rules share."""

    theorem: ClassVar[str]
    title: ClassVar[str]
    branches: ClassVar[int]
    priority: ClassVar[int]
    pattern: ClassVar[str]
    solution: ClassVar[str]

    def __repr__(self) -> str:
        return f"<rule {self.theorem}>"


class Linear(Rule):
    """A polynomial of first degree in a slide."""

    theorem, title, branches, priority = "4.12", "linear equation", 1, 0
    pattern = r"a\,q + b = 0"
    solution = r"q = -b/a"

    def match(self, memory: Memory, form: SlideForm) -> Iterator[Match]:
        """Offer q = -b / a."""
        if len(form.coefficients) == 2:
            b, a = form.coefficients
            if memory.never_vanishes(a):
                yield Match(
                    self,
                    form.joint,
                    (form.fact,),
                    {"a": a, "b": b},
                    len(a) + len(b) + (0 if a.is_constant() else 20),
                    lambda _: [_quotient(memory, form.joint, -b, a)],
                )


class Quadratic(Rule):
    """A polynomial of second degree in a slide: a distance (sub-problem 4 of the source)."""

    theorem, title, branches, priority = "4.4 (slide)", "distance along a slide", 2, 45
    pattern = r"a\,q^2 + b\,q + c = 0"
    solution = r"q = \left(-b \pm \sqrt{b^2 - 4ac}\right)/(2a)"

    def match(self, memory: Memory, form: SlideForm) -> Iterator[Match]:
        """Offer q = (-b ± sqrt(b² - 4 a c)) / (2 a)."""
        if len(form.coefficients) == 3:
            c, b, a = form.coefficients

            def steps(names: Names) -> list[Step]:
                root = names.root()
                return [
                    Root(root, _express(memory, b * b - 4 * a * c)),
                    Slide(
                        form.joint, _symbol(root) - _express(memory, b), _express(memory, 2 * a)
                    ),
                ]

            yield Match(
                self,
                form.joint,
                (form.fact,),
                {"a": a, "b": b, "c": c},
                2 * len(a) + 2 * len(b) + len(c),
                steps,
            )


class Pair(Rule):
    """Two equations in the cosine and sine of one angle: theorems 4.1 and 4.2."""

    theorem, title, branches, priority = "4.2", "cosine and sine from two equations", 1, 10
    pattern = r"a\cos\theta + b\sin\theta = c,\quad d\cos\theta + e\sin\theta = f"
    solution = r"\theta = \arctan_2\bigl((af - cd)\Delta, (ce - bf)\Delta\bigr),\ \Delta = ae - bd"

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

        def steps(_: Names) -> list[Step]:
            factor = _express(memory, delta) if not sign else sign
            if sign < 0:
                return [Turn(one.angle, _express(memory, -sine), _express(memory, -cosine))]
            return [
                Turn(one.angle, _express(memory, sine) * factor, _express(memory, cosine) * factor)
            ]

        terms = {"a": one.a, "b": one.b, "c": one.c, "d": two.a, "e": two.b, "f": two.c}
        cost = len(sine) + len(cosine) + doubt
        return Match(rule, one.angle, (one.fact, two.fact), terms, cost, steps)


class SineAndCosine(Pair):
    """One equation for the sine, one for the cosine."""

    theorem, title = "4.1", "sine and cosine"
    pattern = r"b\sin\theta = c,\quad d\cos\theta = f"
    solution = r"\theta = \arctan_2(c/b, f/d)"


class Homogeneous(Rule):
    """a cos + b sin = 0: two angles, half a turn apart."""

    theorem, title, branches, priority = "4.6", "direction up to half a turn", 2, 20
    pattern = r"a\cos\theta + b\sin\theta = 0"
    solution = r"\theta = \arctan_2(b, a) \pm \pi/2"

    def match(self, memory: Memory, form: TurnForm) -> Iterator[Match]:
        """Offer theta = atan2(±a, ∓b)."""
        if memory.vanishes(form.c) and not memory.vanishes(form.a * form.b):

            def steps(names: Names) -> list[Step]:
                root = names.root()
                sign = _symbol(root)
                return [
                    Root(root, _number(1)),
                    Turn(
                        form.angle,
                        sign * _express(memory, form.a),
                        sign * _express(memory, -form.b),
                    ),
                ]

            terms = {"a": form.a, "b": form.b}
            cost = len(form.a) + len(form.b)
            yield Match(self, form.angle, (form.fact,), terms, cost, steps)


class General(Rule):
    """a cos + b sin = c: two angles."""

    theorem, title, branches, priority = "4.5", "cosine and sine in one equation", 2, 40
    pattern = r"a\cos\theta + b\sin\theta = c"
    solution = (
        r"\theta = \arctan_2\bigl(c, \pm\sqrt{a^2 + b^2 - c^2}\bigr) - \arctan_2(a, b)"
    )

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
    solution = r"\theta = \arctan_2\bigl(c/b, \pm\sqrt{1 - (c/b)^2}\bigr)"


class Cosine(General):
    """a cos = c."""

    theorem, title, priority = "4.4", "cosine", 30
    pattern = r"a\cos\theta = c"
    solution = r"\theta = \arctan_2\bigl(\pm\sqrt{1 - (c/a)^2}, c/a\bigr)"


def two_fold(memory: Memory, form: TurnForm, names: Names) -> list[Step]:
    """Return the steps of a cos + b sin = c."""
    zero = memory.ring.zero
    a = zero if memory.vanishes(form.a) else form.a
    b = zero if memory.vanishes(form.b) else form.b
    values = [_express(memory, term) for term in (a, b, form.c)]
    sign = 0 if a and b else definite_sign(memory, a or b)
    return two_fold_steps(form.angle, *values, sign, names)


def two_fold_steps(
    angle: Angle, a: Expression, b: Expression, c: Expression, sign: int, names: Names
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
    a, b, c = (names.share(term, steps) for term in (a, b, c))
    root = names.root()
    w = _symbol(root)
    if sign and b == 0:  # cos = c / a, sin = w / |a|
        return [*steps, Root(root, a * a - c * c), Turn(angle, w, sign * c)]
    if sign and a == 0:
        return [*steps, Root(root, b * b - c * c), Turn(angle, sign * c, w)]
    return [*steps, Root(root, a * a + b * b - c * c), Turn(angle, b * c + a * w, a * c - b * w)]


class TwoLinks(Rule):
    """Two turning vectors that add up to a known one: theorems 4.8 and 4.9.

    With z = exp(i angle) the two equations are u z_one + v z_two = w in complex numbers. The
    length of w gives the difference of the angles, its direction then the second angle.
    """

    theorem, title, branches, priority = "4.9", "two links in a plane", 2, 50
    pattern = (
        r"u\,e^{i\theta_1} + v\,e^{i\theta_2} = w \quad (u, v, w \text{ known complex numbers})"
    )
    solution = (
        r"2\,\mathrm{Re}\bigl(u\bar v\,e^{i(\theta_1 - \theta_2)}\bigr) = |w|^2 - |u|^2 - |v|^2,\ "
        r"\theta_2 = \arg\bigl(w / (u e^{i(\theta_1 - \theta_2)} + v)\bigr)"
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

        def steps(names: Names) -> list[Step]:
            done: list[Step] = []
            e = names.share(_express(memory, first.e), done)
            f = names.share(sense * _express(memory, second.e), done)
            if not known:
                size = e * e + f * f - _express(memory, lengths)
                cosine, sine = _express(memory, 2 * p), _express(memory, -2 * sign * q)
                single = 0 if p and q else (definite_sign(memory, p or q) * (1 if p else -sign))
                done += two_fold_steps(delta, cosine, sine, size, single, names)
            cd, sd = _symbol(delta.cos), sign * _symbol(delta.sin)
            a, b, c, d = (_express(memory, x) for x in (first.a, first.b, first.c, first.d))
            real = names.share(a * cd + b * sd + c, done)  # u exp(i delta) + v
            imaginary = names.share(a * sd - b * cd - d, done)
            turn = Turn(first.two, f * real - e * imaginary, e * real + f * imaginary)
            return [*done, turn]

        terms = {
            "a": first.a, "b": first.b, "c": first.c, "d": first.d, "e": first.e, "f": second.e
        }  # fmt: skip
        cost = 2 * (len(first.e) + len(second.e)) + len(p) + len(q)
        facts = (first.fact, second.fact)
        if known:
            yield Match(DirectionOfSum(), first.two, facts, terms, cost, steps)
        else:
            yield Match(self, delta, facts, terms, cost, steps, (first.two,))


class DirectionOfSum(TwoLinks):
    """The same with the difference of the angles known: the addition theorem and 4.2."""

    theorem, title, branches, priority = "4.2 (sum)", "direction of two links", 1, 15
    solution = r"\theta_2 = \arg\bigl(w / (u e^{i(\theta_1 - \theta_2)} + v)\bigr)"


class SquareAndAdd(Rule):
    """Three components of one position whose length holds a single cosine: theorem 4.11."""

    theorem, title, branches, priority = "4.11", "length of a position", 2, 60
    pattern = r"x = c,\ y = d,\ z = e \text{ with } x^2 + y^2 + z^2 = k + 2ab\cos\theta"
    solution = (
        r"\theta = \arctan_2\bigl(\pm\sqrt{1 - h^2}, h\bigr),\ h = (c^2 + d^2 + e^2 - k)/(2ab)"
    )

    def match(self, memory: Memory, facts: Sequence[Fact]) -> Iterator[Match]:
        """Offer the angle whose cosine alone is left in the sum of the three squares."""
        ring = memory.ring
        left, right = ring.zero, ring.zero
        for fact in facts:
            unknown_part, known_part = self._parts(memory, fact)
            left, right = left + unknown_part**2, right + known_part**2
        poly = ring.reduce(left) - ring.reduce_pose(right)
        unknown = [a for a in ring.angles_in(poly) if not memory.is_known(a)]
        slides = [j for j in ring.slides_in(poly) if not memory.is_known(j)]
        if len(unknown) != 1 or slides:
            return
        equations = tuple(n for fact in facts for n in fact.equations)
        whole = Fact(poly, equations, None, self.title, frozenset(ring.angles_in(poly)))
        from armwerk.derivation.inverse.forms import turn_form

        form = turn_form(memory, whole)
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

    @staticmethod
    def _parts(memory: Memory, fact: Fact) -> tuple[Poly, Poly]:
        """Split a fact into terms with unknowns and terms without: unknown + known = 0."""
        ring = memory.ring
        hidden = [
            ring.index[name]
            for item in memory.unknowns(fact)
            for name in ((item.cos, item.sin) if isinstance(item, Angle) else (ring.slides[item],))
        ]
        unknown, known = {}, {}
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
    solution = (
        r"\theta = \arctan_2(he - cd, hd + ce),\ h = \pm\sqrt{d^2 + e^2 - c^2}"
    )

    def match(self, memory: Memory, facts: Sequence[Fact]) -> Iterator[Match]:
        """Offer the angle of such a pair of facts."""
        from armwerk.derivation.inverse.forms import split

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
        zero = memory.ring.zero
        for sign in (1, -1):
            x, y = one.get((1, 0), zero), sign * two.get((0, 1), zero)
            c, other = -one.get((0, 1), zero), sign * two.get((1, 0), zero)
            d, e = -one.get((0, 0), zero), -sign * two.get((0, 0), zero)
            if x != y or c != other or not x:
                continue
            if any(not self._all_known(memory, term) for term in (c, d, e)):
                continue

            def steps(names: Names, c: Poly = c, d: Poly = d, e: Poly = e) -> list[Step]:
                done: list[Step] = []
                kc, kd, ke = (names.share(_express(memory, x), done) for x in (c, d, e))
                root = names.root()
                h = _symbol(root)
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
        items = [*ring.angles_in(poly), *ring.slides_in(poly)]
        return all(memory.is_known(item) for item in items)


# -- helpers --------------------------------------------------------------------------------


def definite_sign(memory: Memory, poly: Poly) -> int:
    """Return +1 or -1 if a polynomial has that sign at every pose, else 0.

    True for numbers, for products of lengths that have (positive) values, and for sums of
    squares of the cosine and sine of one angle, which the normal form has made numbers.
    """
    if len(poly) != 1:
        return 0
    ((exponents, coefficient),) = poly.to_dict().items()
    positive = {memory.ring.index[name] for name in memory.ring.values}
    if all(k in positive or power % 2 == 0 for k, power in enumerate(exponents) if power):
        return 1 if coefficient > 0 else -1
    return 0


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


def _quarter_turn(one: TurnForm, two: TurnForm) -> int:
    """Return ±1 if the determinant of two equations is ±(a² + b²), else 0."""
    for sign in (1, -1):
        if two.a == -sign * one.b and two.b == sign * one.a:
            return sign
    return 0


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


def _quotient(memory: Memory, joint: int, numerator: Poly, denominator: Poly) -> Slide:
    if denominator.is_constant() and abs(denominator.leading_coefficient()) == 1:
        numerator, denominator = numerator * denominator, memory.ring.one
    return Slide(joint, _express(memory, numerator), _express(memory, denominator))


def _without_common_factor(*polys: Poly) -> tuple[Poly, ...]:
    common = polys[0]
    for poly in polys[1:]:
        common = common.gcd(poly)
    return tuple(poly / common for poly in polys) if not common.is_one() else polys


def _express(memory: Memory, poly: Poly) -> Expression:
    from armwerk.derivation.expression import express

    return express(memory.ring, poly)


def _symbol(name: str) -> Expression:
    import symengine

    return symengine.Symbol(name)


def _number(value: int) -> Expression:
    import symengine

    return symengine.Integer(value)

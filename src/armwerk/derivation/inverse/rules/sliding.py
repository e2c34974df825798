"""Rules for slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import symengine

from armwerk.derivation.inverse.forms import SlideForm
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.rules.rule import Match, Rule, StepNames, expression, is_constant
from armwerk.derivation.program import Root, Slide, Step
from armwerk.derivation.ring import Poly


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


class Along(Rule):
    """The coordinates of one vector, all linear in a slide whose direction has a fixed length.

    Each coordinate alone divides by a component of the direction, which can vanish.
    """

    theorem, title, branches, priority = "4.12 (vector)", "shift along a direction", 1, 12
    pattern = r"q\,\mathbf{a} + \mathbf{b} = \mathbf{0}"
    solution = r"q = -\mathbf{a}\cdot\mathbf{b}/|\mathbf{a}|^2"

    def match(self, memory: Memory, forms: Sequence[SlideForm]) -> Iterator[Match]:
        """Offer q = -a·b / |a|² for the linear ones among the coordinates of a vector."""
        linear = [form for form in forms if len(form.coefficients) == 2]
        square = memory.ring.zero
        product = memory.ring.zero
        for b, a in (form.coefficients for form in linear):
            square, product = square + a * a, product + a * b
        square = memory.ring.reduce_pose(square)
        if len(linear) < 2 or not memory.never_vanishes(square):
            return
        if is_constant(memory, square):
            product = memory.ring.reduce(product)
            yield Match(
                self,
                linear[0].joint,
                tuple(form.fact for form in linear),
                {"a": square, "b": product},
                len(square) + len(product),
                lambda _: [_quotient(memory, linear[0].joint, -product, square)],
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

            def steps(names: StepNames) -> list[Step]:
                root = names.root()
                return [
                    Root(root, expression(memory, b * b - 4 * a * c)),
                    Slide(
                        form.joint,
                        symengine.Symbol(root) - expression(memory, b),
                        expression(memory, 2 * a),
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


def _quotient(memory: Memory, joint: int, numerator: Poly, denominator: Poly) -> Slide:
    if denominator.is_constant() and abs(denominator.leading_coefficient()) == 1:
        numerator, denominator = numerator * denominator, memory.ring.one
    return Slide(joint, expression(memory, numerator), expression(memory, denominator))

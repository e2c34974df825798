"""Rules for slides."""

from __future__ import annotations

from collections.abc import Iterator

import symengine

from armwerk.derivation.expression import express
from armwerk.derivation.inverse.forms import SlideForm
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.rules.rule import Match, Names, Rule
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
                    Root(root, express(memory.ring, b * b - 4 * a * c)),
                    Slide(
                        form.joint,
                        symengine.Symbol(root) - express(memory.ring, b),
                        express(memory.ring, 2 * a),
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
    return Slide(joint, express(memory.ring, numerator), express(memory.ring, denominator))

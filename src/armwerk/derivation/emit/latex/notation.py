"""How the algebra is written: c_{23} for the cosine of theta2 + theta3, and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from armwerk.derivation.emit.latex.text import FormulaTerm, joined, width_of
from armwerk.derivation.program import Expression
from armwerk.derivation.ring import Angle, Poly
from armwerk.derivation.show import kinematics_of, latex_name, sorted_terms
from armwerk.derivation.sums import Algebra

_INDEXED = re.compile(r"([a-zA-Z]+?)(\d+)$")
_DYNAMIC = re.compile(r"(r|m|I|J)([xyz]{1,2})(\d+)$")


def index_of(angle: Angle) -> str:
    """Return the index of an angle: 23 for a plain sum, 1+2-4 with signs."""
    if all(sign > 0 for _, sign in angle.terms) and all(joint < 10 for joint, _ in angle.terms):
        return "".join(str(joint) for joint, _ in angle.terms)
    text = "".join(f"{'-' if sign < 0 else '+'}{joint}" for joint, sign in angle.terms)
    return text.removeprefix("+")


def theta_of(angle: Angle) -> str:
    """Return the sum of angles itself."""
    text = "".join(rf"{'-' if sign < 0 else '+'}\theta_{{{i}}}" for i, sign in angle.terms)
    return text.removeprefix("+")


class Notation:
    """Writes polynomials and expressions of one ring.

    Args:
        ring: Of the kinematics or of the dynamics.
    """

    def __init__(self, ring: Algebra) -> None:
        self.ring = ring
        base = kinematics_of(ring)
        self.names = {name: parameter(name) for name in ring.names}
        for angle in base.angles:
            self.names[angle.cos] = f"c_{{{index_of(angle)}}}"
            self.names[angle.sin] = f"s_{{{index_of(angle)}}}"
        for tag in base.twists:
            inside = parameter(re.sub(r"^th(?=\d)", "theta", re.sub(r"^al(?=\d)", "alpha", tag)))
            self.names[f"c{tag}"], self.names[f"s{tag}"] = rf"\cos {inside}", rf"\sin {inside}"

    def name(self, name: str) -> str:
        """Return a generator or a helper of the inverse kinematics."""
        return self.names.get(name) or parameter(name)

    def pieces(self, poly: Poly) -> list[FormulaTerm]:
        """Return the terms of a polynomial in the order of the source."""
        found = []
        for coefficient, factors in sorted_terms(self.ring, poly):
            parts = [powered(self.names[name], power) for name, power in factors]
            size = abs(coefficient)
            if size != 1 or not parts:
                parts.insert(0, str(size))
            found.append(FormulaTerm("-" if coefficient < 0 else "+", r" \, ".join(parts)))
        return found

    def terms(self, expression: Expression) -> list[FormulaTerm]:
        """Return the terms of a SymEngine expression."""
        parts = list(expression.args) if expression.is_Add else [expression]
        found = [self._term(part) for part in parts]
        # a positive term first reads better; beyond that the shorter ones first
        return sorted(found, key=lambda one: (one.sign == "-", width_of(one.text), one.text))

    def text(self, expression: Expression) -> str:
        """Return an expression in one line."""
        return joined(self.terms(expression))

    def _term(self, expression: Expression) -> FormulaTerm:
        sign = "+"
        if expression.is_Number:
            text = str(expression)
            return FormulaTerm("-", text[1:]) if text.startswith("-") else FormulaTerm("+", text)
        factors = list(expression.args) if expression.is_Mul else [expression]
        above: list[str] = []
        below: list[str] = []
        for factor in factors:
            if factor.is_Number:
                sign = "-" if factor < 0 else sign
                if abs(factor) != 1:
                    above.insert(0, _rational(str(abs(factor))))
            elif factor.is_Pow and factor.args[1].is_Number and factor.args[1] < 0:
                below.append(self._factor(factor.args[0], -factor.args[1]))
            elif factor.is_Pow:
                above.append(self._factor(factor.args[0], factor.args[1]))
            elif factor.is_Add and len(factors) == 1:
                above.append(self.text(factor))
            else:
                above.append(self._factor(factor, 1))
        order = _by_kind(above)
        text = r" \, ".join(order) or "1"
        return FormulaTerm(
            sign, rf"\frac{{{text}}}{{{' '.join(_by_kind(below))}}}" if below else text
        )

    def _factor(self, base: Expression, power: Expression | int) -> str:
        if str(power) == "1/2":
            return rf"\sqrt{{{self.text(base)}}}"
        inner = self.name(base.name) if base.is_Symbol else rf"({self.text(base)})"
        return powered(inner, int(power))


def _by_kind(parts: Sequence[str]) -> list[str]:
    """Return factors in reading order: numbers, single names, trigonometric ones, brackets."""

    def kind(text: str) -> tuple[int, str]:
        if text[0].isdigit():
            return 0, text
        if text.startswith(("(", r"\sqrt")):
            return 4, text
        if re.match(r"[cs]_\{", text):
            return (2 if text[0] == "c" else 3), text
        return 1, text

    return sorted(parts, key=kind)


def _rational(text: str) -> str:
    above, _, below = text.partition("/")
    return rf"\tfrac{{{above}}}{{{below}}}" if below else above


@cache
def parameter(name: str) -> str:
    """Return a parameter or variable: a2, rx3, Ixx1, qd1, px, h4."""
    dynamic = _DYNAMIC.fullmatch(name)
    if dynamic:
        return f"{dynamic[1]}_{{{dynamic[2]}{dynamic[3]}}}"
    centre = re.fullmatch(r"([xyz])w_*", name)
    if centre:
        return f"{centre[1]}_{{w}}"
    motor = re.fullmatch(r"Im(\d+)", name)
    if motor:
        return f"I_{{m{motor[1]}}}"
    return latex_name(name)


def powered(name: str, power: int) -> str:
    """Return name^power; the exponent of a name with an index stands above it."""
    if power == 1:
        return name
    function = re.fullmatch(r"(\\cos|\\sin) (.*)", name)
    if function:
        return f"{function[1]}^{{{power}}} {function[2]}"
    return f"{name}^{{{power}}}"


def unknown(name: str) -> str:
    """Return what a rule found, from its name in the explanation: "θ1+θ2", "q3"."""
    return re.sub(r"θ(\d+)", r"\\theta_{\1}", re.sub(r"\bq(\d+)", r"q_{\1}", name))


def values_of(mapping: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return names and numbers, sorted for a table: by letter, then by index."""

    def key(item: tuple[str, float]) -> tuple[str, int]:
        split = _INDEXED.fullmatch(item[0])
        return (split[1], int(split[2])) if split else (item[0], 0)

    return sorted(mapping.items(), key=key)

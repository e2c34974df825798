"""Polynomials as people and other libraries see them: SymPy, SymEngine, plain text, LaTeX.

Sines and cosines of the ring belong to angles theta = q + offset. SymPy shows the joint
variables themselves, cos(q2 + q3 + offset), so that an offset of 90° disappears by SymPy's own
rules; text and LaTeX show the angles theta, as the source does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from armwerk.derivation.ring import SAME_ANGLE, Angle, Poly, Ring
from armwerk.derivation.sums import Algebra

Expr: TypeAlias = Any  # sympy.Expr or symengine.Expr; neither library ships types
_LARGEST_PART = 24  # an offset that is a multiple of 180°/24 = 7.5° is shown as a share of pi

_sympy_cache: WeakKeyDictionary[Algebra, dict[str, Expr]] = WeakKeyDictionary()


def kinematics_of(ring: Algebra) -> Ring:
    """Return the kinematic ring behind an extended one, or the ring itself."""
    return ring.kinematics


# -- SymPy ----------------------------------------------------------------------------------


def to_sympy(ring: Algebra, poly: Poly) -> Expr:
    """Return the polynomial as a SymPy expression in q1, q2, ... and the parameters."""
    from sympy import Add, Integer, Mul

    symbols = sympy_generators(ring)
    terms = []
    for exponents, coefficient in poly.to_dict().items():
        factors: list[Expr] = [Integer(int(coefficient))]
        for k, power in enumerate(exponents):
            if power:
                factor = symbols[ring.names[k]]
                factors.append(factor if power == 1 else factor ** int(power))
        terms.append(Mul(*factors))
    return Add(*terms)


def sympy_matrix(ring: Algebra, rows: Sequence[Sequence[Poly]]) -> Expr:
    """Return a matrix of polynomials as a SymPy matrix."""
    from sympy import Matrix

    return Matrix([[to_sympy(ring, entry) for entry in row] for row in rows])


def sympy_transform(ring: Algebra, rows: Sequence[Sequence[Poly]]) -> Expr:
    """Return a 3 by 4 matrix of polynomials as a SymPy matrix with the last row 0 0 0 1."""
    from sympy import Matrix

    upper = [[to_sympy(ring, entry) for entry in row] for row in rows]
    return Matrix([*upper, [0, 0, 0, 1]])


def sympy_generators(ring: Algebra) -> dict[str, Expr]:
    """Return the SymPy expression of every generator."""
    known = _sympy_cache.get(ring)
    if known is None:
        known = _sympy_generators(ring)
        _sympy_cache[ring] = known
    return known


def sympy_angle(ring: Algebra, angle: Angle) -> Expr:
    """Return q_i + offset_i, signed and summed up, as a SymPy expression."""
    from sympy import Add, Symbol

    offsets = joint_offsets(kinematics_of(ring))
    return Add(*(sign * (Symbol(f"q{joint}") + offsets[joint]) for joint, sign in angle.terms))


def joint_offsets(ring: Ring) -> dict[int, Expr]:
    """Return the constant angle of every revolute joint, exact where it is a share of pi."""
    from sympy import Integer

    moving = enumerate(ring.arm.moving, 1)
    return {
        i: sympy_dimension(joint.offset) if joint.kind == "revolute" else Integer(0)
        for i, joint in moving
    }


def sympy_dimension(value: float | str) -> Expr:
    """Return a number or an expression of a description; shares of pi come out exact."""
    from sympy import Float, Rational, Symbol, pi, sympify

    if isinstance(value, str):
        names = {name: Symbol(name) for name in re.findall(r"[A-Za-z_]\w*", value)}
        for reserved in ("pi", "sqrt", "sin", "cos", "tan"):
            names.pop(reserved, None)
        return sympify(value, locals=names)
    share = Fraction(value / math.pi).limit_denominator(_LARGEST_PART)
    if abs(value - float(share) * math.pi) <= SAME_ANGLE:
        return Rational(share.numerator, share.denominator) * pi
    return Float(value)


def _sympy_generators(ring: Algebra) -> dict[str, Expr]:
    from sympy import Symbol, cos, sin

    base = kinematics_of(ring)
    found: dict[str, Expr] = {}
    for angle in base.angles:
        argument = sympy_angle(ring, angle)
        found[angle.cos], found[angle.sin] = cos(argument), sin(argument)
    for tag in base.twists:
        text = base.definitions.get(tag)
        argument = Symbol(twist_name(tag)) if text is None else sympy_dimension(text)
        found[f"c{tag}"], found[f"s{tag}"] = cos(argument), sin(argument)
    for name, text in base.definitions.items():
        if name in base.parameters:
            found[name] = sympy_dimension(text)
    for name in ring.names:
        found.setdefault(name, Symbol(name))
    return found


def twist_name(tag: str) -> str:
    """Return the name under which SymPy shows a twist: alpha1, or theta2 of a slide."""
    return re.sub(r"^al(?=\d)", "alpha", re.sub(r"^th(?=\d)", "theta", tag))


# -- SymEngine ------------------------------------------------------------------------------


def to_symengine(ring: Algebra, poly: Poly) -> Expr:
    """Return the polynomial as a SymEngine expression in plain symbols c23, s23, a2, ..."""
    from symengine import Add, Integer, Mul, Symbol

    terms = []
    for exponents, coefficient in poly.to_dict().items():
        factors = [Integer(int(coefficient))]
        for k, power in enumerate(exponents):
            if power:
                symbol = Symbol(ring.names[k])
                factors.append(symbol if power == 1 else symbol ** int(power))
        terms.append(Mul(*factors))
    return Add(*terms)


def symengine_list(ring: Algebra, polys: Iterable[Poly]) -> list[Expr]:
    """Return polynomials as SymEngine expressions, for sharing sub-expressions."""
    return [to_symengine(ring, poly) for poly in polys]


# -- text and LaTeX -------------------------------------------------------------------------


def to_text(ring: Algebra, poly: Poly) -> str:
    """Return the polynomial in one line: "a1·cos(θ1) + a2·cos(θ1+θ2)"."""
    return _print(ring, poly, _text_names(ring), "·", "{}^{}")


def to_latex(ring: Algebra, poly: Poly) -> str:
    r"""Return the polynomial for LaTeX: "a_{1} \cos\theta_{1} + ..."."""
    return _print(ring, poly, _latex_names(ring), r" \, ", "{}^{{{}}}")


def sorted_terms(ring: Algebra, poly: Poly) -> list[tuple[int, list[tuple[str, int]]]]:
    """Return coefficient and factors of every term in the order the source prints them.

    Within a term the parameters come first, by name, then cosines, then sines; the terms are
    ordered by their factors in the same way.
    """
    order = _order(ring)
    terms = []
    for exponents, coefficient in poly.to_dict().items():
        factors = [(ring.names[k], int(power)) for k, power in enumerate(exponents) if power]
        factors.sort(key=lambda factor: order[factor[0]])
        key = [(order[name], -power) for name, power in factors]
        terms.append((key or [((9, 0), 0)], int(coefficient), factors))
    terms.sort(key=lambda term: term[0])
    return [(coefficient, factors) for _, coefficient, factors in terms]


def _print(ring: Algebra, poly: Poly, names: dict[str, str], times: str, power_form: str) -> str:
    pieces = []
    for coefficient, factors in sorted_terms(ring, poly):
        parts = [
            names[name] if power == 1 else _powered(names[name], power, power_form)
            for name, power in factors
        ]
        size = abs(coefficient)
        if size != 1 or not parts:
            parts.insert(0, str(size))
        sign = "-" if coefficient < 0 else "+"
        pieces.append((sign, times.join(parts)))
    if not pieces:
        return "0"
    first_sign, first = pieces[0]
    text = ("-" if first_sign == "-" else "") + first
    return text + "".join(f" {sign} {piece}" for sign, piece in pieces[1:])


def _powered(name: str, power: int, form: str) -> str:
    for function in (r"\cos", r"\sin", "cos", "sin"):
        if name.startswith(function) and not name[len(function) :].isalnum():
            return form.format(function, power) + name[len(function) :]
    return form.format(name, power)


def _order(ring: Algebra) -> dict[str, tuple[int, int | str]]:
    base = kinematics_of(ring)
    order: dict[str, tuple[int, int | str]] = {name: (0, name) for name in ring.names}
    for place, (angle, kind) in enumerate(
        (angle, kind)
        for kind in (1, 2)
        for angle in sorted(base.angles, key=lambda a: (a.terms[0][0], len(a.terms)))
    ):
        order[angle.cos if kind == 1 else angle.sin] = (kind, place)
    for tag in base.twists:
        order[f"c{tag}"], order[f"s{tag}"] = (1, -1), (2, -1)
    return order


def _text_names(ring: Algebra) -> dict[str, str]:
    base = kinematics_of(ring)
    names = {name: name for name in ring.names}
    for angle in base.angles:
        names[angle.cos], names[angle.sin] = f"cos({angle})", f"sin({angle})"
    for tag in base.twists:
        text = twist_name(tag).replace("alpha", "α").replace("theta", "θ")
        names[f"c{tag}"], names[f"s{tag}"] = f"cos({text})", f"sin({text})"
    return names


def _latex_names(ring: Algebra) -> dict[str, str]:
    base = kinematics_of(ring)
    names = {name: latex_name(name) for name in ring.names}
    for angle in base.angles:
        inside = "".join(f"{'-' if sign < 0 else '+'}\\theta_{{{i}}}" for i, sign in angle.terms)
        inside = inside.removeprefix("+")
        if len(angle.terms) > 1:
            inside = f"({inside})"
        names[angle.cos], names[angle.sin] = rf"\cos{inside}", rf"\sin{inside}"
    for tag in base.twists:
        inside = latex_name(twist_name(tag))
        names[f"c{tag}"], names[f"s{tag}"] = rf"\cos {inside}", rf"\sin {inside}"
    return names


_GREEK = ("alpha", "beta", "gamma", "delta", "theta", "phi", "psi", "mu", "rho", "tau")


def latex_name(name: str) -> str:
    r"""Return the name of a parameter for LaTeX: a2 -> a_{2}, px -> p_{x}, qd1 -> \dot q_{1}."""
    velocity = re.fullmatch(r"q(d{1,2})(\d+)", name)
    if velocity:
        return rf"\{'d' * len(velocity[1])}ot q_{{{velocity[2]}}}"
    pose = re.fullmatch(r"([noap])([xyz])", name)
    if pose:
        return f"{pose[1]}_{{{pose[2]}}}"
    split = re.fullmatch(r"([A-Za-z]+)_?(\w*)", name)
    if split is None:
        return name.replace("_", r"\_")
    stem, rest = split[1], split[2].replace("_", r"\_")
    stem = rf"\{stem}" if stem in _GREEK else stem if len(stem) == 1 else rf"\mathit{{{stem}}}"
    return f"{stem}_{{{rest}}}" if rest else stem
